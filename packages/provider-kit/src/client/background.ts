import type { ModelCallOptions, ModelClient } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { abortable, throwIfAborted } from '@x/kernel/abort'
import { modelFailure } from '../failure/model-failure.ts'
import { isRecord, parseJson } from '../json/wire-values.ts'
import type { AskBatch, BackgroundDialect } from './dialect.ts'

/** Shortest and longest time between two questions whether an answer is there, in seconds. */
const MIN_POLL_S = 2
const MAX_POLL_S = 60
/** Part of the age of an answer after which it is asked for again. */
const POLL_SHARE = 0.25
/** Kinds of failures of a question after which it is asked again later, and for how long none may succeed. */
const PASSING_KINDS: ReadonlySet<unknown> = new Set(['connection', 'overloaded', 'rate-limit', 'server', 'timeout'])
const MAX_SILENCE_MS = 300_000

/** Parts of a client that its answers in the background need. */
interface BackgroundClient {
  /** Sends the request, and returns the body of the first answer. */
  readonly submit: () => Promise<unknown>
  /** Returns what sends questions about the answer, with the limits and errors of any request. */
  readonly askWith: (options: ModelCallOptions) => AskBatch
  readonly clock: NonNullable<ModelClient['clock']>
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Asks for an answer in the background, and waits until it is there; returns its body. Where a journal keeps the identifier,
 * another process waits for the same answer; else a caller that leaves cancels it.
 */
export async function answerInBackground(
  dialect: BackgroundDialect,
  client: BackgroundClient,
  options: ModelCallOptions,
): Promise<unknown> {
  const { background: kept, onSend } = options
  const startedAt = client.now()
  const known = kept?.known
  if (known !== undefined) onSend?.(true)
  const poll = new Poll(dialect, client, options)
  let pending: ReturnType<BackgroundDialect['pending']> = known === undefined ? undefined : { id: known }
  let body = known === undefined ? await client.submit() : await poll.read(known)
  let isKept = known !== undefined
  for (;;) {
    if (body !== undefined) pending = dialect.pending(body)
    if (!pending) return body
    const { id, createdAt = startedAt } = pending
    if (!isKept) await kept?.keep(id)
    isKept = true
    const age = (client.now() - createdAt) / 1000
    // eslint-disable-next-line no-await-in-loop -- the time between two questions
    await poll.wait(id, Math.min(Math.max(age * POLL_SHARE, MIN_POLL_S, poll.askedToWaitS), MAX_POLL_S))
    // eslint-disable-next-line no-await-in-loop -- one question after the other
    body = await poll.read(id)
  }
}

/** The questions about one answer. */
class Poll {
  /** Seconds for which the provider has asked to wait, instead of an answer to the latest question. */
  askedToWaitS = 0
  readonly #dialect: BackgroundDialect
  readonly #client: BackgroundClient
  readonly #options: ModelCallOptions
  /** Time of the last question that was answered. */
  #heardAt: number

  constructor(dialect: BackgroundDialect, client: BackgroundClient, options: ModelCallOptions) {
    this.#dialect = dialect
    this.#client = client
    this.#options = options
    this.#heardAt = client.now()
  }

  /** Asks for the answer; returns undefined if the provider tells nothing for a while. */
  async read(id: string): Promise<unknown> {
    const { signal, timeout, timeouts, warn, trace } = this.#options
    const ask = this.#client.askWith({ signal, timeout, timeouts, warn, trace })
    try {
      const body = parseJson(await ask({ method: 'GET', path: this.#dialect.path(id) }))
      // A gateway that answers in place of the provider, with a page, an error of its own or nothing.
      if (!isRecord(body) || typeof body['id'] !== 'string') {
        throw modelFailure('server', 'the answer to a question is not that of the provider: it has no `id`')
      }
      const { unknown } = this.#dialect.pending(body) ?? {}
      if (unknown !== undefined) throw modelFailure('server', `it has the status \`${unknown}\`, which is not known`)
      this.#heardAt = this.#client.now()
      this.askedToWaitS = 0
      return body
    } catch (error) {
      if (!isXError(error) || error.kind === undefined || signal?.aborted) throw error
      if (!PASSING_KINDS.has(error.kind)) throw ofQuestion(error)
      this.askedToWaitS = (error.retryAfterMs ?? 0) / 1000
      if (this.#client.now() - this.#heardAt <= MAX_SILENCE_MS) return undefined
      // Not asked for again: it may still come, and is paid for.
      const text = `the provider tells nothing of an answer in the background since ${MAX_SILENCE_MS / 1000} seconds: ${error.message}`
      throw modelFailure('timeout', text, { cause: error })
    }
  }

  /** Waits some seconds. */
  async wait(id: string, seconds: number): Promise<void> {
    const { background: kept, signal, onSend } = this.#options
    try {
      // This process has nothing more to pay for if it does not go on.
      if (kept) onSend?.(false)
      const sleep = kept?.leave?.(seconds) ?? this.#client.clock.sleep(seconds * 1000, signal)
      await abortable(sleep, signal)
      throwIfAborted(signal)
      if (kept) onSend?.(true)
    } catch (error) {
      // A run that was stopped may go on from its journal, unless it gives the wait itself up.
      if (!kept || (isXError(error, 'aborted') && !signal?.aborted)) await this.#cancel(id)
      throw error
    }
  }

  async #cancel(id: string): Promise<void> {
    const { warn } = this.#options
    try {
      await this.#client.askWith({})({ method: 'POST', path: `${this.#dialect.path(id)}/cancel` })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      warn?.('background', `an answer in the background that nobody waits for could not be cancelled: ${reason}`)
    }
  }
}

/**
 * Makes the failure of an answer of a failed question for it. It has no status: that is of the question, which nobody bills,
 * and the answer may be paid for.
 */
function ofQuestion({ kind = 'server', message, status, details, cause }: XError): XError {
  const words = status === undefined ? '' : ` with status ${status}`
  const text = `a question for the answer in the background failed${words}: ${message}`
  return modelFailure(kind, text, { details, cause })
}
