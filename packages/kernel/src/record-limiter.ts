import type { LimitedCall, Limiter, LimiterState, MaybePromise, Permit, RateLimits } from '@x/interfaces'
import { LimitLine, type LimitPlace } from './limit-line.ts'
import { countLimit } from './limit-rules.ts'
import { monotonicNow } from './clock.ts'
import { MemoryRecords } from './memory-records.ts'

/** Limits by the name of the model; those of `*` are for every other model, each by itself. */
export type LimitsByModel = Readonly<Record<string, RateLimits>>

/** Options of a {@link RecordLimiter}. */
export interface RecordLimiterOptions extends LimitPlace {
  readonly limits: LimitsByModel
  /** Begins the keys of its records. */
  readonly prefix: string
  /** What happens to calls while the records do not answer: each worker keeps the limits for itself, or refuses them. */
  readonly whenDown: 'alone' | 'refuse'
}

/** A permit that nobody counts. */
const FREE: Permit = { end() {} }

/** A limit of one model and account. */
interface Limited {
  readonly model: string
  readonly account: string
  readonly key: string
  readonly limits: RateLimits
  readonly line: LimitLine
}

/** Limits calls by records that it shares with others. */
export class RecordLimiter implements Limiter {
  readonly #options: RecordLimiterOptions
  readonly #limited = new Map<string, Limited>()

  constructor(options: RecordLimiterOptions) {
    this.#options = options
  }

  acquire(
    { model, account, tokens }: LimitedCall,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): MaybePromise<Permit> {
    const { limits } = this.#options
    const own = Object.hasOwn(limits, model) ? limits[model] : limits['*']
    if (!own) return FREE
    const key = `${this.#options.prefix}${model}:${account}`
    let limited = this.#limited.get(key)
    if (!limited) {
      limited = { model, account, key, limits: own, line: this.#lineOf(key, own) }
      this.#limited.set(key, limited)
    }
    return limited.line.acquire(Math.max(0, Math.ceil(tokens)), signal)
  }

  async state(): Promise<readonly LimiterState[]> {
    return await Promise.all(
      [...this.#limited.values()].map(async ({ model, account, key, limits }) => {
        const read = (value: unknown, now: number) => ({ value, answer: countLimit(value, now, limits) })
        return { model, account, limits, ...(await this.#options.records.change(key, read)) }
      }),
    )
  }

  /** Resolves when the records know what has ended here, or do not answer. */
  async flush(): Promise<void> {
    await Promise.all([...this.#limited.values()].map(async ({ line }) => await line.flush()))
  }

  /** Ends all waiting, with `invalid-state`, and tells the records nothing more. */
  close(): void {
    for (const { line } of this.#limited.values()) line.close()
  }

  #lineOf(key: string, limits: RateLimits): LimitLine {
    const alone = { ...this.#options, records: new MemoryRecords(monotonicNow), lease: Infinity }
    const instead =
      this.#options.whenDown === 'alone' ? new LimitLine(alone, { key, limits, instead: undefined }) : undefined
    return new LimitLine(this.#options, { key, limits, instead })
  }
}
