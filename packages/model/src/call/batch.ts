import type {
  BatchOptions,
  BatchResult,
  BudgetCall,
  ClientBatches,
  ErrorCode,
  MaybePromise,
  ModelAnswer,
  ModelErrorKind,
  ModelParams,
  Reservation,
  ReserveOptions,
  Run,
  RunScope,
  Spending,
} from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { reserveInBoth } from '@x/kernel/limits'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { costFor, countUsage, withShortNames } from './answer-fields.ts'
import { recordUsage } from './attempt.ts'
import { isPassing, MAX_POLL_S, MIN_POLL_S, newBatchKey, sleepFor } from './batcher.ts'
import { CallBudget, LOWERED_WARNING, NO_SPENDING } from './call-budget.ts'
import { clientOf, type ConfigCall, newConfigCall, newSentRequests } from './config-call.ts'
import { requireModel, responseOf } from './create.steps.ts'
import { Reporter } from './reporter.steps.ts'
import { sendToIo, type WrapperParts } from './wrapper-parts.ts'
import { modelsText, type Slot } from '../config/slot.ts'
import { agentOf, checkRequest, type WrapperRequest } from '../request/check-request.ts'
import { prepareRequest } from '../request/prepare-request.ts'
import { SettingsReader } from '../request/settings.ts'

/** Growth of the time between two questions whether a batch has ended. */
const POLL_BACKOFF = 1.5
/** Questions in a row without an answer after which none is asked again. */
const MAX_SILENCES = 5

const BATCH_KINDS: OptionKinds<BatchOptions> = {
  run: runOptionKinds.run,
  signal: runOptionKinds.signal,
  sleep: kind.call,
}

/** Hands requests in as a batch of the first config whose provider has batches, and waits for the results. */
export async function askBatch(
  parts: WrapperParts,
  requests: readonly WrapperRequest[],
  options: BatchOptions,
): Promise<BatchResult[]> {
  checkOptions(options, BATCH_KINDS, 'run `batch`')
  checkOptions(
    { requests: requests ?? null },
    { requests: { ...kind.list, expected: 'a list of requests' } },
    'run `batch`',
  )
  return requests.length === 0 ? [] : await new Batch(parts, requests, options).run()
}

/** A batch as a journal keeps it. */
interface KeptBatch {
  readonly id: string
  readonly key: string
}

/** The result of a request as a journal keeps it. */
type KeptResult = { readonly answer: ModelAnswer } | { readonly failure: KeptFailure }

interface KeptFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly kind?: ModelErrorKind | undefined
  readonly status?: number | undefined
}

class Batch {
  readonly #parts: WrapperParts
  readonly #requests: readonly WrapperRequest[]
  readonly #options: BatchOptions
  readonly #calls: readonly ConfigCall[]
  readonly #params: ModelParams[]
  readonly #batches: ClientBatches
  readonly #scope: RunScope | undefined
  readonly #sleep: (seconds: number) => Promise<void>
  /** Amount of each request in its budget, while this process waits for it; undefined without a budget. */
  #reservations: (Reservation | undefined)[] = []
  /** Questions in a row whether the batch has ended that had no answer. */
  #silences = 0
  /** True if a journal keeps the batch: another process may wait for it. */
  #isKept = false
  /**
   * True if this process has fetched the results. They count once: results from a journal were counted when they came.
   */
  #isFetched = false

  constructor(parts: WrapperParts, requests: readonly WrapperRequest[], options: BatchOptions) {
    const { run, signal = run?.signal, sleep } = options
    const reporter = new Reporter(parts, options)
    const slot = slotWithBatches(parts)
    const client = clientOf({ parts, slot })
    this.#parts = parts
    this.#requests = requests
    this.#options = options
    this.#scope = reporter.scope
    this.#batches = client.batches!
    this.#sleep = sleep ?? (async (seconds) => await sleepFor(seconds * 1000, client.clock, signal))
    if (requests.length > this.#batches.maxRequests) throw tooMany(requests.length, this.#batches.maxRequests)
    this.#calls = requests.map((request) => newCall(parts, slot, { request, reporter, run }))
    this.#params = this.#calls.map(({ prepared }) => prepared.params)
  }

  async run(): Promise<BatchResult[]> {
    try {
      const batch = await this.#submitOnce()
      // Another process may end the wait, and this one has no more to do with it.
      if (this.#isKept) this.#release()
      await this.#untilEnded(batch)
      const kept = await this.#keptResults(batch)
      return kept.map((each, index) => this.#resultOf(this.#calls[index]!, each, index))
    } finally {
      this.#release()
    }
  }

  /**
   * Hands the requests in, once: a journal keeps the key of the batch, and then its identifier. A process that ends between the
   * two leaves open whether there is a batch, so the next one looks for it by the key.
   */
  async #submitOnce(): Promise<KeptBatch> {
    let isNew = false
    const key = await this.#recorded('batch key', async () => {
      isNew = true
      await this.#reserve()
      return newBatchKey(this.#parts.plan.runtime)
    })
    for (;;) {
      // eslint-disable-next-line no-await-in-loop -- one question after the other
      const id = await this.#recorded('batch id', async () => {
        if (!isNew) {
          const found = await this.#unlessSilent(() => this.#batches.find(key, this.#calling))
          if (found !== null) return found ?? null
          await this.#reserve()
        }
        return await this.#batches.submit(this.#params, key, this.#calling)
      })
      if (id !== null) return { id, key }
      // The end of another batch tells.
      // eslint-disable-next-line no-await-in-loop -- the time between two questions
      await this.#pause(MAX_POLL_S).catch(rethrowStopped)
    }
  }

  /** Reserves for all requests at once, at the price of a batch. Nothing waits for headroom: the batch would wait for itself. */
  async #reserve(): Promise<void> {
    const reserving = this.#calls.map(async (call, index) => await this.#reserveFor(call, index))
    const refused = (await Promise.allSettled(reserving)).find((each) => each.status === 'rejected')
    if (refused) throw refused.reason
  }

  async #reserveFor(call: ConfigCall, index: number): Promise<void> {
    const budget = CallBudget.of(call)
    if (!budget) return
    const size = sizeIn(budget)
    const reservation = (await reserveFor(call, budget.expected, { call: size }))!
    this.#reservations[index] = reservation
    budget.hold(reservation)
    // Nothing limits an answer that may be as long as the model can make it.
    if (budget.maxTokens === undefined && reservation.maxTokens === size.maxTokens) return
    const limited = budget.limitedParams()
    if (limited) this.#params[index] = limited.params
    if (limited?.isLowered) this.#warn('max_tokens', LOWERED_WARNING)
  }

  async #untilEnded({ id }: KeptBatch): Promise<void> {
    const hasEnded = async (): Promise<boolean> =>
      (await this.#unlessSilent(() => this.#batches.hasEnded(id, this.#calling))) ?? false
    try {
      await this.#untilTold('batch state', hasEnded, async (seconds) => await this.#pause(seconds))
    } catch (error) {
      await this.#cancelIfLeft(id, error)
      throw stopped(error)
    }
  }

  /** Asks a question that a journal keeps, ever more seldom, until its answer is true or a value. */
  async #untilTold<T>(
    name: string,
    ask: () => Promise<T>,
    wait: (seconds: number) => Promise<void>,
  ): Promise<NonNullable<T>> {
    for (let pause = MIN_POLL_S; ; pause = Math.min(pause * POLL_BACKOFF, MAX_POLL_S)) {
      // eslint-disable-next-line no-await-in-loop -- one question after the other
      const told = await this.#recorded(name, ask)
      if (told) return told
      // eslint-disable-next-line no-await-in-loop -- the time between two questions
      await wait(pause)
    }
  }

  /** Waits some seconds, unless the caller stops the batch. */
  async #pause(seconds: number): Promise<void> {
    await this.#sleep(seconds)
    this.#options.signal?.throwIfAborted()
  }

  /** Asks something about the batch; undefined if the provider does not answer for a while: it is asked again later. */
  async #unlessSilent<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await ask()
      this.#silences = 0
      return answer
    } catch (error) {
      if (!isPassing(error) || ++this.#silences > MAX_SILENCES) throw error
      return undefined
    }
  }

  /**
   * Cancels the batch at its provider if nobody waits for it any more: its caller has stopped it, its wait failed with
   * `aborted`, or its run was stopped, which no other process goes on with.
   */
  async #cancelIfLeft(id: string, error: unknown): Promise<void> {
    const { signal, run } = this.#options
    const isLeft = run?.signal?.aborted ? !this.#isKept : isXError(error, 'aborted')
    if (!signal?.aborted && !isLeft) return
    const cancel = async (): Promise<string | null> =>
      await this.#batches.cancel(id, {}).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
    // A run that goes on does it once; one that is over keeps nothing more.
    const failed = await (run?.signal?.aborted ? cancel() : this.#recorded('batch cancel', cancel))
    if (failed !== null) this.#warn('batch', `a batch that was stopped could not be cancelled: ${failed}`)
  }

  /** Fetches the results, until the provider tells them. */
  async #keptResults(batch: KeptBatch): Promise<readonly KeptResult[]> {
    const wait = async (seconds: number): Promise<void> => await this.#pause(seconds).catch(rethrowStopped)
    return await this.#untilTold('batch results', async () => await this.#fetchResults(batch), wait)
  }

  async #fetchResults({ id, key }: KeptBatch): Promise<readonly KeptResult[] | null> {
    const batch = { id, key, requests: this.#params }
    const results = await this.#unlessSilent(() => this.#batches.results(batch, this.#calling))
    if (!results) return null
    this.#isFetched = true
    return results.map((result) => (result instanceof Error ? { failure: plainFailure(result) } : { answer: result }))
  }

  #resultOf(call: ConfigCall, kept: KeptResult, index: number): BatchResult {
    if ('failure' in kept) {
      const { code, message, ...init } = kept.failure
      return { response: null, error: new XError(code, message, init) }
    }
    const answer = withShortNames(kept.answer)
    const { usage, estimated } = countUsage(call, answer)
    const cost = costFor(call, answer)
    const amounts = { cost: cost ?? 0, tokens: usage.totalTokens, calls: 1 }
    const answered = { outputTokens: usage.completionTokens, estimated }
    const reservation = this.#reservations[index]
    if (reservation) reservation.settle(amounts, answered)
    else if (this.#isFetched) settleLate(call, amounts, answered)
    recordUsage(call, { answer, cost, cached: false })
    return { response: responseOf(call, { answer, cost, cached: false }), error: null }
  }

  /** Does something once in a journaled run, at a place of its own. */
  async #recorded<T>(name: string, act: () => Promise<T>): Promise<T> {
    const { run } = this.#options
    const open = run && this.#scope?.open?.(run, { kind: 'tool', name })
    if (name === 'batch key') open?.noteInput?.({ requests: asked(this.#parts, this.#requests) })
    this.#isKept ||= open?.recorded === true
    try {
      if (open?.known) return open.known.value as T
      await open?.beforeCall?.()
      const value = await act()
      if (open?.recorded) await open.keep(value)
      return value
    } finally {
      open?.end()
    }
  }

  get #calling(): Parameters<ClientBatches['hasEnded']>[1] {
    const { run, signal = run?.signal } = this.#options
    return { signal, warn: (topic, text) => this.#warn(topic, text) }
  }

  #warn(topic: string, text: string): void {
    if (!this.#parts.memory.isNewWarning(`${topic}: ${text}`)) return
    void sendToIo(this.#parts, { type: 'warning', agent: null, topic, text })
  }

  #release(): void {
    for (const reservation of this.#reservations) reservation?.release()
    this.#reservations = []
  }
}

/** Returns what the requests of a batch ask, as those of `create` are told. */
function asked({ plan }: WrapperParts, requests: readonly WrapperRequest[]): readonly object[] {
  const reader = new SettingsReader(plan.slots)
  return requests.map((each) => ({ messages: each.messages ?? each.prompt ?? null, settings: reader.of(each) }))
}

/** Makes the error of a wait that its caller has stopped. */
const stopped = (error: unknown): XError =>
  isXError(error) ? error : new XError('aborted', 'the batch was stopped by the caller', { cause: error })

const rethrowStopped = (error: unknown): never => {
  throw stopped(error)
}

/** Returns the first config whose provider has batches. */
function slotWithBatches(parts: WrapperParts): Slot {
  const { slots } = parts.plan
  const slot = slots.find((each) => clientOf({ parts, slot: each }).batches)
  if (slot) return slot
  throw new XError(
    'invalid-config',
    `cannot run \`batch\`: no provider of ${modelsText(slots)} has batches; add a config of OpenAI, Anthropic or Google, or call \`create\` for each request`,
  )
}

const tooMany = (count: number, max: number): XError =>
  new XError(
    'invalid-argument',
    `cannot run \`batch\`: it has ${count} requests, and the provider takes ${max}; make several`,
  )

function newCall(
  parts: WrapperParts,
  slot: Slot,
  given: { readonly request: WrapperRequest; readonly reporter: Reporter; readonly run: Run | undefined },
): ConfigCall {
  const { request, reporter, run = NO_RUN } = given
  const { extra, ...others } = prepareRequest(slot, checkRequest(parts, request), parts)
  const prepared = { ...others, extra: { ...extra, batch: true } }
  requireModel(slot, prepared)
  const agent = agentOf(request)
  return newConfigCall({
    parts,
    slot,
    prepared,
    run,
    last: true,
    reporter,
    agent,
    invocationId: '',
    attempts: [],
    sent: newSentRequests(),
  })
}

/** Stands for the run of a batch outside of runs. */
const NO_RUN = { face: 'async' } as Run

/** Reserves amounts in the budgets of a request; undefined without budgets. */
function reserveFor(
  { prepared, budget }: ConfigCall,
  estimate: Spending,
  options: ReserveOptions = {},
): MaybePromise<Reservation> | undefined {
  const own = prepared.extra.budget
  if (own && budget && own !== budget) return reserveInBoth([own, budget], estimate, options)
  return (own ?? budget)?.reserve(estimate, options)
}

/**
 * Returns a request as a budget sees it: a strict one reserves the most that it can use, any other one what is expected of it,
 * and does not wait for the first answer of its model.
 */
function sizeIn(budget: CallBudget): BudgetCall {
  const { model, maxTokens, maxOutput, expected } = budget
  const estimate = (output: number, atMost = false): Spending => (atMost ? budget.estimate(output, true) : expected)
  return { model, maxTokens: maxTokens ?? maxOutput ?? Infinity, maxOutput, estimate }
}

/** Settles an answer that this process has reserved nothing for. */
function settleLate(call: ConfigCall, amounts: Spending, answered: Parameters<Reservation['settle']>[1]): void {
  void Promise.resolve()
    .then(() => reserveFor(call, NO_SPENDING))
    .then(
      (reservation) => reservation?.settle(amounts, answered),
      () => {},
    )
}

const plainFailure = (error: Error): KeptFailure => {
  if (!isXError(error)) return { code: 'model-failed', message: error.message }
  const { code, message, kind: of, status } = error
  return { code, message, ...(of && { kind: of }), ...(status !== undefined && { status }) }
}
