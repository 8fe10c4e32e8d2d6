import type { Limiter, MaybePromise, Permit, RateLimits } from '@x/interfaces'
import { abortError, throwIfAborted } from '../run-part.ts'
import { checkOptions, kind, type OptionKinds } from '../check-options.ts'
import { countLimit, decideLimit, type LimitAnswer, type LimitCorrection, type LimitQuestion } from './limit-rules.ts'
import { MemoryRecords, RecordUpdater, unref, type RecordPlace, type RecordUpdate } from './record-updater.ts'
import { XError } from '../x-error.ts'

/** Limits by the name of the model; those of `*` are for every other model, each by itself. */
export type LimitsByModel = Readonly<Record<string, RateLimits>>

/** Options of a {@link RecordLimiter}. */
export interface RecordLimiterOptions extends RecordPlace {
  readonly limits: LimitsByModel
  /** Begins the keys of its records. */
  readonly prefix: string
  /** Handling of calls while the records do not answer: each worker keeps the limits `alone`, or refuses the calls. */
  readonly whenDown: 'alone' | 'refuse'
}

/** The permit of a model without limits. */
const UNCOUNTED_PERMIT: Permit = { end() {} }

/** A limit of one model and account. */
interface Limited {
  readonly model: string
  readonly account: string
  readonly key: string
  readonly limits: RateLimits
  readonly queue: LimitQueue
}

/** Limits calls by records that it shares with others. */
export class RecordLimiter implements Limiter {
  readonly #options: RecordLimiterOptions
  readonly #limited = new Map<string, Limited>()

  constructor(options: RecordLimiterOptions) {
    this.#options = options
  }

  acquire(
    { model, account, tokens }: Parameters<Limiter['acquire']>[0],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): MaybePromise<Permit> {
    const { limits } = this.#options
    const own = Object.hasOwn(limits, model) ? limits[model] : limits['*']
    if (!own) return UNCOUNTED_PERMIT
    const key = `${this.#options.prefix}${model}:${account}`
    let limited = this.#limited.get(key)
    if (!limited) {
      limited = { model, account, key, limits: own, queue: this.#queueOf(key, own) }
      this.#limited.set(key, limited)
    }
    return limited.queue.acquire(Math.max(0, Math.ceil(tokens)), signal)
  }

  async state(): ReturnType<NonNullable<Limiter['state']>> {
    return await Promise.all(
      [...this.#limited.values()].map(async ({ model, account, key, limits }) => {
        const read = (value: unknown, now: number) => ({ value, answer: countLimit(value, now, limits) })
        return { model, account, limits, ...(await this.#options.records.change(key, read)) }
      }),
    )
  }

  /** Resolves when the records know what has ended here, or do not answer. */
  async flush(): Promise<void> {
    await Promise.all([...this.#limited.values()].map(async ({ queue }) => await queue.flush()))
  }

  /** Ends all waiting, with `invalid-state`, and tells the records nothing more. */
  close(): void {
    for (const { queue } of this.#limited.values()) queue.close()
  }

  #queueOf(key: string, limits: RateLimits): LimitQueue {
    const alone = { ...this.#options, records: new MemoryRecords(), lease: Infinity }
    const instead =
      this.#options.whenDown === 'alone' ? new LimitQueue(alone, { key, limits, instead: undefined }) : undefined
    return new LimitQueue(this.#options, { key, limits, instead })
  }
}

/** The limits of one model and account, and where a call goes when their record does not answer; undefined: it is refused. */
export interface QueueLimit {
  readonly key: string
  readonly limits: RateLimits
  readonly instead: LimitQueue | undefined
}

/** A call that waits for its permit. */
interface WaitingCall {
  readonly tokens: number
  readonly signal: AbortSignal | undefined
  grant(permit: MaybePromise<Permit>): void
  refuse(error: unknown): void
}

/** Most calls that one question is about. */
const MAX_CALLS_PER_QUESTION = 100
/** Seconds for which records that do not answer are left alone. */
const DOWN_PAUSE_S = 5

/** The calls of one process that wait for one limit, first come first served. Several of them are one question to the records. */
export class LimitQueue {
  readonly #updater: RecordUpdater<LimitAnswer>
  readonly #limit: QueueLimit
  #waiting: WaitingCall[] = []
  #corrections: LimitCorrection[] = []
  #pause = 0
  #held = 0
  /** True if the record still counts calls that have ended. */
  #stale = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #isDown = false

  constructor(place: RecordPlace, limit: QueueLimit) {
    this.#limit = limit
    const makeUpdate = (): RecordUpdate<LimitAnswer> => this.#makeUpdate(place)
    // A store that goes down forgets the permits of its last moment at most, and is told again of those under way.
    this.#updater = new RecordUpdater({ place, key: limit.key, durable: false, makeUpdate })
  }

  /** Gives a permit, or a promise of one. */
  acquire(tokens: number, signal: AbortSignal | undefined): MaybePromise<Permit> {
    throwIfAborted(signal)
    if (this.#updater.isClosed) throw closedError()
    if (this.#isDown && this.#limit.instead) return this.#limit.instead.acquire(tokens, signal)
    let outcome: { readonly permit: MaybePromise<Permit> } | { readonly error: unknown } | undefined
    const queued = Promise.withResolvers<Permit>()
    const leave = (): void => {
      const index = this.#waiting.indexOf(call)
      if (index >= 0) this.#waiting.splice(index, 1)
      call.refuse(abortError(signal!))
    }
    const call: WaitingCall = {
      tokens,
      signal,
      grant(permit) {
        signal?.removeEventListener('abort', leave)
        outcome ??= { permit }
        queued.resolve(permit)
      },
      refuse(error) {
        signal?.removeEventListener('abort', leave)
        outcome ??= { error }
        queued.reject(error)
      },
    }
    // What was given at once is not waited for.
    queued.promise.catch(() => {})
    signal?.addEventListener('abort', leave, { once: true })
    this.#waiting.push(call)
    this.#ask()
    if (!outcome) return queued.promise
    if ('error' in outcome) throw outcome.error
    return outcome.permit
  }

  /** Ends a call that had a permit of a part of the period for so many tokens. */
  end(
    slot: number,
    estimate: number,
    { tokens = estimate, requests = 1, retryAfterMs = 0 }: Parameters<Permit['end']>[0] = {},
  ): void {
    this.#held--
    this.#stale = true
    const correction = { slot, tokens: tokens - estimate, requests: requests - 1 }
    if (correction.tokens !== 0 || correction.requests !== 0) this.#corrections.push(correction)
    this.#pause = Math.max(this.#pause, retryAfterMs)
    this.#ask()
  }

  /** Resolves when the records know what has ended here, or do not answer. */
  async flush(): Promise<void> {
    await this.#updater.flush()
  }

  /** Ends all waiting and tells the records nothing more. */
  close(): void {
    this.#updater.close()
    clearTimeout(this.#timer)
    for (const call of this.#waiting.splice(0)) call.refuse(closedError())
    this.#limit.instead?.close()
  }

  /** Tells the records what has ended, and asks them for what waits. What comes meanwhile is part of the next question. */
  #ask(): void {
    if (!this.#updater.isUpdating) this.#updater.update()
  }

  #makeUpdate({ worker, lease }: RecordPlace): RecordUpdate<LimitAnswer> {
    const { limits } = this.#limit
    clearTimeout(this.#timer)
    const asked = this.#waiting.slice(0, MAX_CALLS_PER_QUESTION)
    const question: LimitQuestion = {
      worker,
      limits,
      lease: lease * 1000,
      held: this.#held,
      pause: this.#pause,
      wants: asked.map(({ tokens }) => tokens),
      corrections: this.#corrections.splice(0),
    }
    this.#pause = 0
    this.#stale = false
    return {
      change: (value, now) => decideLimit(value, now, question),
      onAnswer: (answer) => this.#onAnswer(asked, answer),
      onFailure: (error) => this.#onFailure(error),
    }
  }

  #onAnswer(asked: readonly WaitingCall[], { granted, slot, again }: LimitAnswer): void {
    this.#held += granted
    for (const call of asked.slice(0, granted)) {
      const index = this.#waiting.indexOf(call)
      // The caller of a permit that nobody uses has left.
      if (index < 0) this.end(slot, call.tokens, { tokens: 0, requests: 0 })
      else {
        this.#waiting.splice(index, 1)
        call.grant(new QueuePermit(this, slot, call.tokens))
      }
    }
    this.#updater.beat(this.#held > 0)
    const isNew = this.#waiting.length > 0 && granted === asked.length
    if (isNew || this.#stale) return this.#updater.update()
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#ask(), again)
  }

  #onFailure(error: unknown): void {
    if (this.#updater.isClosed) return
    const { instead } = this.#limit
    const calls = this.#waiting.splice(0)
    if (instead) {
      this.#isDown = true
      unref(setTimeout(() => (this.#isDown = false), DOWN_PAUSE_S * 1000))
    }
    for (const call of calls) {
      if (!instead) call.refuse(downError(error))
      else {
        try {
          call.grant(instead.acquire(call.tokens, call.signal))
        } catch (refused) {
          call.refuse(refused)
        }
      }
    }
  }
}

class QueuePermit implements Permit {
  readonly #slot: number
  readonly #tokens: number
  #queue: LimitQueue | undefined

  constructor(queue: LimitQueue, slot: number, tokens: number) {
    this.#queue = queue
    this.#slot = slot
    this.#tokens = tokens
  }

  end(used?: Parameters<Permit['end']>[0]): void {
    this.#queue?.end(this.#slot, this.#tokens, used)
    this.#queue = undefined
  }
}

const downError = (cause: unknown): XError =>
  new XError(
    'connection-failed',
    'the limiter could not ask the store that it shares with other workers: start the store, or let workers keep the limits alone with `whenDown: "alone"`',
    { cause },
  )

const closedError = (): XError =>
  new XError('invalid-state', 'the limiter was closed with its host: end the work before you close the host')

const RATE_LIMIT_KINDS: OptionKinds<RateLimits> = {
  requests: kind.whole(1),
  tokens: kind.whole(1),
  inFlight: kind.whole(1),
  per: {
    expected: 'a finite number of seconds above 0',
    takes: (value) => Number.isFinite(value) && value > 0,
  },
}

/** Words of other libraries for limits of a model. */
const FOREIGN_LIMIT_WORDS: Readonly<Record<string, string>> = {
  'rpm requestsPerMinute maxRequests maxRpm requestLimit':
    'write `requests`, which are per minute unless `per` says otherwise',
  'tpm tokensPerMinute maxTokens maxTpm tokenLimit': 'write `tokens`, which are per minute unless `per` says otherwise',
  'rps requestsPerSecond': 'write `requests` and `per: 1`',
  'concurrency maxConcurrent maxConcurrency parallel maxInFlight': 'write `inFlight`',
  'interval window period perSeconds intervalMs': 'write `per`, in seconds',
}

/** Refuses wrong limits; `attempt` says what they are for. */
export function checkLimits(limits: unknown, attempt: string): void {
  const isObject = typeof limits === 'object' && limits !== null && !Array.isArray(limits)
  const entries = isObject ? Object.entries(limits) : []
  if (entries.length === 0) {
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: give limits by the name of the model, as in { 'gpt-5': { requests: 500, tokens: 2_000_000, inFlight: 100 } }`,
    )
  }
  for (const [model, own] of entries) {
    if (typeof own === 'number') {
      throw new XError(
        'invalid-argument',
        `cannot ${attempt}: \`${model}\` is a number and not limits of a model; write { '*': { requests: 500, tokens: 2_000_000 } } for every model, per minute`,
      )
    }
    checkOptions(
      (own as object | undefined) ?? null,
      RATE_LIMIT_KINDS,
      `${attempt} for \`${model}\``,
      FOREIGN_LIMIT_WORDS,
    )
    const { requests, tokens, inFlight } = own as RateLimits
    if (requests !== undefined || tokens !== undefined || inFlight !== undefined) continue
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: \`${model}\` has no limit; give \`requests\`, \`tokens\` or \`inFlight\``,
    )
  }
}
