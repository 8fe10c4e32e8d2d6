import type { Limiter } from '@x/interfaces'
import { checkLimits, MemoryRecords, RecordLimiter, type LimitsByModel } from '@x/kernel/limits'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** Options of a limiter. */
export interface LimiterOptions {
  /** Returns milliseconds of any clock; default `performance.now`. */
  readonly now?: (() => number) | undefined
}

const LIMITER_KINDS: OptionKinds<LimiterOptions> = { now: kind.call }

/**
 * Limits how often this process calls models: requests and tokens per period, and calls in flight, by model name and for
 * each API key. The name `countTokens` stands for all token counts, `*` for every model without limits of its own. Calls wait
 * for a permit. A config takes it as its `limiter`. For limits across processes, use the `limiter` of a host of `@x/host`.
 */
export function createLimiter(limits: LimitsByModel, options: LimiterOptions = {}): Limiter {
  const attempt = 'run `createLimiter`'
  checkLimits(limits, attempt)
  checkOptions(options, LIMITER_KINDS, attempt)
  return new RecordLimiter({
    records: new MemoryRecords(options.now),
    limits,
    prefix: '',
    worker: 'here',
    lease: Infinity,
    storeTimeout: Infinity,
    whenDown: 'refuse',
    onError() {},
  })
}
