import type { OptionKinds } from '@x/kernel/options'

/** Kind of an option in seconds that end. */
export const SECONDS: OptionKinds<{ readonly seconds: number }>['seconds'] = {
  expected: 'a finite number of seconds above 0',
  takes: (value) => Number.isFinite(value) && value > 0,
}
