import type {
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelEvent,
  ModelParams,
  Run,
  StoredAnswer,
} from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import { blockingClientOf, clientOf, type ConfigCall } from './config-call.ts'
import { costOf, finite } from '../usage/price.ts'
import { reserveFor } from '../usage/reserve.ts'
import { streamAnswer } from './stream.steps.ts'

/** An answer that was just fetched, and its warnings, which everyone who shares the answer sends. */
export interface FetchedAnswer {
  readonly stored: StoredAnswer
  readonly notes: [topic: string, text: string][]
}

/**
 * What a client is given beside the request. A class, since each object that is written out with a getter has a hidden
 * class of its own in V8, which lives long and keeps the object alive.
 */
class CallOptions implements ModelCallOptions {
  readonly last: boolean
  readonly timeout: number | undefined
  readonly maxRetryAfter: number | undefined
  readonly sample: number | undefined
  readonly warn: (topic: string, text: string) => void
  readonly #stop: Pick<Run, 'signal'>

  constructor({ last, prepared }: ConfigCall, stop: Pick<Run, 'signal'>, notes: FetchedAnswer['notes']) {
    const { timeout, maxRetryAfter, sample } = prepared.extra
    this.last = last
    this.timeout = timeout
    this.maxRetryAfter = maxRetryAfter
    this.sample = sample
    this.warn = (topic, text) => void notes.push([topic, text])
    this.#stop = stop
  }

  /** Stops the call; made when the client reads it. */
  get signal(): AbortSignal | undefined {
    return this.#stop.signal
  }
}

/** Asks the client, within the budget; `stop` has the signal that stops it, which is made when the client reads it. */
export function* fetchAnswer(
  call: ConfigCall,
  stop: Pick<Run, 'signal'>,
  notes: FetchedAnswer['notes'],
): Steps<FetchedAnswer, ModelEvent> {
  const { parts, prepared } = call
  const { params, extra, price } = prepared
  const client = clientOf(call)
  const options = new CallOptions(call, stop, notes)
  const reservation = reserveFor(extra.budget, call.budget, {
    price,
    client,
    params,
    longestAnswer: parts.memory.ledger?.longestAnswer,
  })
  try {
    const answer = yield* askClient(call, client, params, options)
    const cost = costFor(call, answer)
    reservation.settle(() => ({ cost: cost ?? 0, tokens: finite(client.getUsage(answer).totalTokens), calls: 1 }))
    return { stored: { answer, cost }, notes }
  } finally {
    reservation.release()
  }
}

function* askClient(
  call: ConfigCall,
  client: ModelClient,
  params: ModelParams,
  options: ModelCallOptions,
): Steps<ModelAnswer, ModelEvent> {
  const { slot, run, buffer } = call
  const what = `the client of ${slot.client.modelClientCls ?? params.model ?? `config ${slot.index}`}`
  if (run.face === 'stream' && client.stream) return yield* streamAnswer(client.stream(params, options), buffer, what)
  const target = run.face === 'sync' ? blockingClientOf(call) : client
  return yield* wait(target.create(params, options), what)
}

/** Cost of an answer: by the config's price, else by the client; null when neither knows. */
export function costFor(call: ConfigCall, answer: ModelAnswer): number | null {
  const { price } = call.prepared
  const cost = price ? costOf(answer.usage, price) : clientOf(call).cost(answer)
  return cost !== null && Number.isFinite(cost) ? cost : null
}
