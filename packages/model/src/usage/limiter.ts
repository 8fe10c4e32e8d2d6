import type { Limiter } from '@x/interfaces'
import { checkLimits, MemoryRecords, monotonicNow, RecordLimiter, type LimitsByModel } from '@x/kernel/limiter'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** Options of a limiter. */
export interface LimiterOptions {
  /** Milliseconds of some clock; default `performance.now`. */
  readonly now?: (() => number) | undefined
}

const KINDS: OptionKinds<LimiterOptions> = { now: kind.call }

/**
 * Limits how often models are asked from this process: requests and tokens of a period, and calls under way, by the name
 * of the model and for each API key. `countTokens` stands for all counts of tokens, `*` for every other name. Calls wait for their permits; `limiter` of a config
 * takes it. For several processes, `limiter` of a host of `@x/host` does the same.
 */
export function createLimiter(limits: LimitsByModel, options: LimiterOptions = {}): Limiter {
  const attempt = 'run `createLimiter`'
  checkLimits(limits, attempt)
  checkOptions(options, KINDS, attempt)
  const { now = monotonicNow } = options
  return new RecordLimiter({
    records: new MemoryRecords(now),
    limits,
    prefix: '',
    worker: 'here',
    lease: Infinity,
    storeTimeout: Infinity,
    whenDown: 'refuse',
    onError() {},
  })
}
