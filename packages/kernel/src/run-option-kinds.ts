import type { RunOptions } from '@x/interfaces'
import { kind, type OptionKinds } from './option-kind.ts'

/** Kinds of the options that every asynchronous operation has. `checkRunOptions` tells a run from a copy of one. */
export const runOptionKinds: OptionKinds<RunOptions> = {
  run: kind.any,
  signal: kind.having('an `AbortSignal`', 'addEventListener'),
  emit: kind.call,
}
