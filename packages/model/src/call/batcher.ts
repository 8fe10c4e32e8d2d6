import type {
  ClientBatches,
  MaybePromise,
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelParams,
} from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { abortable, throwIfAborted } from '@x/kernel/abort'
import { sha256 } from '../cache/sha256.ts'
import { TRANSIENT_KINDS } from './sending-policy.ts'
import type { ModelRuntime } from './wrapper-parts.ts'

/** Milliseconds for which requests are gathered before they are handed in together. */
const GATHER_MS = 100
/** Shortest time between two questions whether a batch has ended, in seconds. */
export const MIN_POLL_S = 30
/** Longest time between two of these questions, in seconds. */
export const MAX_POLL_S = 900
/** Part of the age of a batch after which it is asked for again. */
const POLL_SHARE = 0.25
/** Milliseconds for which the answer to such a question holds for all requests of the batch. */
const FRESH_MS = 5000
/** Time in which no question whether a batch has ended may succeed before nobody asks again, in milliseconds. */
const MAX_SILENCE_MS = 3_600_000

/** Tells whether a question that failed is asked again later. */
export const isPassing = (error: unknown): boolean => isXError(error) && TRANSIENT_KINDS.has(error.kind)

/** Waits by the clock of a client, or else by that of the platform; rejects as soon as the signal fires, and leaves no timer. */
export async function sleepFor(
  ms: number,
  clock: ModelClient['clock'],
  signal: AbortSignal | undefined,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const sleep = clock?.sleep ?? ((delay) => new Promise<void>((resolve) => (timer = setTimeout(resolve, delay))))
  try {
    await abortable(sleep(ms, signal), signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Letters of the key of a batch. */
const KEY_LENGTH = 32

/** Returns the key of a new batch. */
export const newBatchKey = ({ newId }: Pick<ModelRuntime, 'newId'>): string => sha256(newId()).slice(0, KEY_LENGTH)

/** A value that a journal keeps for a request. */
export interface KeptValue {
  readonly known: unknown
  keep(value: unknown): MaybePromise<void>
}

/** A request that is answered in a batch. */
export interface BatchedRequest {
  readonly params: ModelParams
  readonly options: Pick<ModelCallOptions, 'onSend' | 'signal' | 'warn'>
  /** Returns what a journal keeps of the request, each time of another try; undefined without a journal. */
  readonly next: () =>
    | { readonly place: KeptValue; readonly id: KeptValue; readonly leave?: Leave | undefined }
    | undefined
}

type Leave = (seconds: number) => Promise<never> | undefined

/** The place of a request in its batch. */
interface Place {
  /** Key of the batch. */
  readonly key: string
  readonly index: number
  /** Number of its requests. */
  readonly count: number
  /** Time at which it was made, in milliseconds since 1970. */
  readonly at: number
}

/** A request that waits for others. */
interface Gathered {
  readonly request: BatchedRequest
  readonly kept: ReturnType<BatchedRequest['next']>
  readonly company: Company
  readonly placed: PromiseWithResolvers<Placed>
}

/** A request in a batch that was handed in. */
interface Placed {
  readonly batch: BatchUnderWay
  readonly index: number
}

/** With whom a request is handed in: with all others, with those of the same settings, or alone. */
type Company = 'all' | 'alike' | 'none'

/** The company in which a request is handed in after it failed in another one: nobody fails for the request of another. */
const LESS_COMPANY: Readonly<Record<Company, Company>> = { all: 'alike', alike: 'none', none: 'none' }

/** Says that requests cannot be handed in together: nothing has left. */
class UnfitCompany extends Error {}

/** Parts of a model that its batches need. */
interface BatcherInit {
  readonly batches: ClientBatches
  readonly clock: ModelClient['clock']
  readonly runtime: Pick<ModelRuntime, 'newId' | 'now'>
}

/** Answers the requests of a config in batches: those that come at the same time share one. */
export class Batcher {
  static readonly #all = new WeakMap<object, Batcher>()
  readonly #init: BatcherInit
  readonly #underWay = new Map<string, BatchUnderWay>()
  /** Requests that wait for others, by what they have in common. */
  readonly #gathered = new Map<unknown, Gathered[]>()

  constructor(init: BatcherInit) {
    this.#init = init
  }

  /** Returns the batcher of a config, which all models of the config share. */
  static of(config: object, init: BatcherInit): Batcher {
    let batcher = Batcher.#all.get(config)
    if (!batcher) Batcher.#all.set(config, (batcher = new Batcher(init)))
    return batcher
  }

  /** Answers a request, within hours. Where a journal keeps its batch, another process waits for the same one. */
  async answer(request: BatchedRequest): Promise<ModelAnswer> {
    const { options, params } = request
    let kept = request.next()
    let company: Company = 'all'
    for (;;) {
      const known = placeIn(kept?.place.known)
      const placed: Placed | undefined = known
        ? { batch: this.#batchAt(known, kept?.id.known), index: known.index }
        : await this.#handIn({ request, kept, company })
      if (!placed) {
        company = LESS_COMPANY[company]
        kept = request.next()
        continue
      }
      const { batch, index } = placed
      options.onSend?.(true)
      batch.join(index, params)
      try {
        const result = await this.#untilAnswered(batch, index, options, kept?.leave)
        if (result instanceof Error) throw result
        if (result) return result
      } catch (error) {
        const { signal } = options
        // A run that was stopped may go on from its journal, unless it gives the wait itself up.
        if (kept ? isXError(error, 'aborted') && !signal?.aborted : signal?.aborted) await batch.giveUp(index, options)
        throw error
      } finally {
        if (batch.leave() === 0 && !batch.isPartlyGivenUp) this.#underWay.delete(batch.key)
      }
      kept = request.next()
    }
  }

  /** Hands a request in, with those that come at the same time; undefined if it cannot be handed in with them. */
  async #handIn({ request, kept, company }: Omit<Gathered, 'placed'>): Promise<Placed | undefined> {
    const placed: Gathered['placed'] = Promise.withResolvers()
    const { options, params } = request
    const group = company === 'all' ? company : company === 'alike' ? settingsOf(params) : placed
    const gathered = this.#gathered.get(group) ?? []
    this.#gathered.set(group, gathered)
    if (gathered.push({ request, kept, company, placed }) === 1) void this.#handInAll(group)
    try {
      return await abortable(placed.promise, options.signal)
    } catch (error) {
      if (error instanceof UnfitCompany) return undefined
      const giveUp: Parameters<typeof placed.promise.then>[0] = ({ batch, index }) => batch.giveUp(index, options)
      if (!kept) void placed.promise.then(giveUp, () => {})
      throw error
    }
  }

  async #handInAll(group: unknown): Promise<void> {
    await sleepFor(GATHER_MS, this.#init.clock, undefined)
    const gathered = this.#gathered.get(group)!.filter(({ request }) => !request.options.signal?.aborted)
    this.#gathered.delete(group)
    const { maxRequests } = this.#init.batches
    for (let start = 0; start < gathered.length; start += maxRequests) {
      void this.#handInOne(gathered.slice(start, start + maxRequests))
    }
  }

  async #handInOne(gathered: readonly Gathered[]): Promise<void> {
    const { batches, runtime } = this.#init
    const key = newBatchKey(runtime)
    const count = gathered.length
    const batch = this.#batchAt({ key, index: 0, count, at: runtime.now() }, undefined)
    const failed = new Set<Gathered>()
    const isLeft = (): boolean => gathered.every((one) => failed.has(one) || one.request.options.signal?.aborted)
    /** Does something for each request. One whose run keeps nothing any more fails alone: the others may be of other runs. */
    const each = async (act: (one: Gathered, index: number) => Promise<void>): Promise<void> => {
      const fail = (one: Gathered, error: unknown): void => {
        failed.add(one)
        one.placed.reject(error)
      }
      const acts = gathered.map(async (one, index) => {
        if (!failed.has(one)) await act(one, index).catch((error: unknown) => fail(one, error))
      })
      await Promise.all(acts)
    }
    try {
      // Kept before it is handed in: a process that ends in between leaves open whether there is a batch.
      await each(async ({ kept }, index) => await kept?.place.keep({ ...batch.facts, index }))
      if (isLeft()) return
      const { warn } = gathered[0]!.request.options
      const params = gathered.map(({ request }) => request.params)
      let hasLeft = false
      const onSend = (left = true): boolean => ((hasLeft = left), true)
      try {
        batch.id = await batches.submit(params, key, { warn, onSend })
      } catch (error) {
        if (!hasLeft && gathered.length > 1 && isOfRequest(error)) throw new UnfitCompany()
        if (!hasLeft || !isWithoutAnswer(error)) throw error
        batch.lostBy = error
      }
      await each(async ({ kept, placed }, index) => {
        if (batch.id !== undefined) await kept?.id.keep(batch.id)
        placed.resolve({ batch, index })
      })
    } catch (error) {
      for (const { placed } of gathered) placed.reject(error)
      this.#underWay.delete(key)
    } finally {
      if (isLeft()) this.#underWay.delete(key)
    }
  }

  #batchAt(place: Place, id: unknown): BatchUnderWay {
    let batch = this.#underWay.get(place.key)
    if (!batch) {
      const { key, count, at } = place
      batch = new BatchUnderWay(this.#init, { key, count, at })
      this.#underWay.set(key, batch)
    }
    if (typeof id === 'string') batch.id ??= id
    return batch
  }

  /** Waits for the answer to a request, or its error; undefined if its batch was never handed in. */
  async #untilAnswered(
    batch: BatchUnderWay,
    index: number,
    options: BatchedRequest['options'],
    leave: Leave | undefined,
  ): Promise<ModelAnswer | Error | undefined> {
    const { signal, onSend } = options
    for (;;) {
      // eslint-disable-next-line no-await-in-loop -- one question after the other
      const state = await abortable(batch.state(options), signal)
      if (state === 'none') {
        // It was never handed in.
        onSend?.(false)
        if (batch.lostBy !== undefined) throw batch.lostBy
        return undefined
      }
      // eslint-disable-next-line no-await-in-loop -- the results are asked for once the batch has ended
      const result = state === 'ended' ? await abortable(batch.resultOf(index, options), signal) : undefined
      if (result) return result
      const age = (this.#init.runtime.now() - batch.facts.at) / 1000
      const pause = Math.min(Math.max(age * POLL_SHARE, MIN_POLL_S), MAX_POLL_S)
      // A process that another one follows has nothing to pay for.
      if (leave) onSend?.(false)
      const leaving = leave?.(pause)
      // eslint-disable-next-line no-await-in-loop -- the time between two questions
      await (leaving ? abortable(leaving, signal) : sleepFor(pause * 1000, this.#init.clock, signal))
      throwIfAborted(signal)
      if (leave) onSend?.(true)
    }
  }
}

/** Returns what requests of one batch may have to have in common: everything but what they ask. */
const settingsOf = (params: ModelParams): string => JSON.stringify({ ...params, messages: null, prompt: null })

/** Tells a failure of requests themselves, which others may not have. */
const isOfRequest = (error: unknown): boolean =>
  !isXError(error) || error.kind === undefined || error.kind === 'invalid-request'

/** Tells the failure of a request that may have been carried out. */
const isWithoutAnswer = (error: unknown): boolean =>
  isXError(error) && (error.kind === 'connection' || error.kind === 'timeout') && error.status === undefined

/**
 * Makes the failure of a request of a failed question about its batch. It has no status: that is of the question, which nobody
 * bills, and the batch may be paid for.
 */
function ofQuestion(error: unknown): unknown {
  if (!isXError(error) || error.kind === undefined) return error
  const { code, kind, message, status } = error
  const words = status === undefined ? '' : ` with status ${status}`
  return new XError(code, `a question about its batch failed${words}: ${message}`, { kind, cause: error })
}

/** Reads the place that a journal has kept; undefined for none. */
function placeIn(value: unknown): Place | undefined {
  const { key, index, count, at } = (value ?? {}) as { readonly [K in keyof Place]?: unknown }
  const isPlace = typeof key === 'string' && [index, count, at].every((number) => typeof number === 'number')
  return isPlace ? (value as Place) : undefined
}

/** A batch, which all its requests ask about together. */
class BatchUnderWay {
  readonly facts: Omit<Place, 'index'>
  /** The identifier by the vendor; undefined until it is known. */
  id: string | undefined
  /** The failure of handing it in, if its answer was lost: the vendor tells whether there is a batch. */
  lostBy: unknown
  readonly #batches: ClientBatches
  readonly #now: () => number
  /** The requests that wait here, by their index. */
  readonly #joined = new Map<number, ModelParams>()
  #waiting = 0
  /** Indices of the requests that nobody waits for any more, in any process. */
  readonly #givenUp = new Set<number>()
  #state: Promise<'ended' | 'none' | 'waits'> | undefined
  #askedAt = -Infinity
  #hasEnded = false
  #heardAt: number
  #results: { readonly of: number; readonly list: Promise<readonly (ModelAnswer | Error)[]> } | undefined

  constructor({ batches, runtime }: BatcherInit, facts: Omit<Place, 'index'>) {
    this.#batches = batches
    this.#now = runtime.now
    this.#heardAt = runtime.now()
    this.facts = facts
  }

  get key(): string {
    return this.facts.key
  }

  /** Adds a request that waits here. */
  join(index: number, params: ModelParams): void {
    this.#joined.set(index, params)
    this.#waiting++
  }

  /** Removes a request that waits no longer; returns how many still do. */
  leave(): number {
    return --this.#waiting
  }

  /** Tells whether the batch has ended, and `none` if it was never handed in. Equal questions are asked once. */
  async state(options: Pick<ModelCallOptions, 'warn'>): Promise<'ended' | 'none' | 'waits'> {
    // A question that was asked before may still be under way, and fail.
    if (this.#hasEnded) return 'ended'
    if (this.#now() - this.#askedAt >= FRESH_MS) {
      this.#askedAt = this.#now()
      this.#state = this.#ask(options)
    }
    return await this.#state!
  }

  async #ask({ warn }: Pick<ModelCallOptions, 'warn'>): Promise<'ended' | 'none' | 'waits'> {
    try {
      if (this.id === undefined) {
        const found = await this.#batches.find(this.key, { warn })
        if (found === null) return 'none'
        if (found === undefined) return 'waits'
        this.id = found
      }
      const hasEnded = await this.#batches.hasEnded(this.id, { warn })
      this.#heardAt = this.#now()
      this.#hasEnded ||= hasEnded
    } catch (error) {
      this.#checkSilence(error)
    }
    return this.#hasEnded ? 'ended' : 'waits'
  }

  /** Returns the answer to a request, or its error; undefined if the provider does not tell the results for a while. */
  async resultOf(index: number, { warn }: Pick<ModelCallOptions, 'warn'>): Promise<ModelAnswer | Error | undefined> {
    const joined = this.#joined.size
    // Requests that join later are read with their own parameters.
    if (this.#results?.of !== joined) {
      const own = this.#joined.get(index)!
      const requests = Array.from({ length: this.facts.count }, (_, at) => this.#joined.get(at) ?? own)
      this.#results = { of: joined, list: this.#batches.results({ id: this.id!, key: this.key, requests }, { warn }) }
    }
    const asked = this.#results
    try {
      return (await asked.list)[index]
    } catch (error) {
      // Those who share the question fail with it; the next one is another.
      if (this.#results === asked) this.#results = undefined
      this.#checkSilence(error)
      return undefined
    }
  }

  /** Throws after a failed question, unless it is asked again later. Nothing is handed in again: the batch is paid for. */
  #checkSilence(error: unknown): void {
    if (!isPassing(error)) throw ofQuestion(error)
    if (this.#now() - this.#heardAt <= MAX_SILENCE_MS) return
    const text = `the provider tells nothing of a batch since ${MAX_SILENCE_MS / 3_600_000} hour: ${(error as Error).message}`
    throw new XError('timeout', text, { kind: 'timeout', cause: error })
  }

  /** True if nobody waits any more for some of its requests, and for others somebody may. */
  get isPartlyGivenUp(): boolean {
    return this.#givenUp.size > 0 && this.#givenUp.size < this.facts.count && !this.#hasEnded
  }

  /** Gives a request up. Cancels the batch at its vendor if that was the last one. */
  async giveUp(index: number, { warn }: Pick<ModelCallOptions, 'warn'>): Promise<void> {
    this.#givenUp.add(index)
    if (this.#givenUp.size < this.facts.count || this.id === undefined || this.#hasEnded) return
    try {
      await this.#batches.cancel(this.id, {})
    } catch (error) {
      warn?.(
        'batch',
        `a batch that was stopped could not be cancelled: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
}
