import type { Io } from '@x/interfaces'

/** Defaults of an operation that is not part of another run. */
export interface RunDefaults {
  readonly io: Io
  readonly now: () => number
}
