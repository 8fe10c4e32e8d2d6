import type {
  Budget,
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelEvent,
  ModelParams,
  Run,
  StoredAnswer,
} from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import { blockingClientOf, clientOf, type WrapperParts } from './wrapper-parts.ts'
import { costOf, finite } from '../usage/price.ts'
import type { PreparedRequest } from '../request/prepare-request.ts'
import { reserveFor } from '../usage/reserve.ts'
import type { Slot } from '../config/slot.ts'
import { streamAnswer, type StreamBuffer } from './stream.steps.ts'

/** One config's share of a call, with what it is asked by. */
export interface ConfigCall {
  readonly parts: WrapperParts
  readonly slot: Slot
  readonly prepared: PreparedRequest
  readonly run: Run
  /** Whether no further config remains. */
  readonly last: boolean
  /** What of a streamed answer is held back and handed out. */
  readonly buffer: StreamBuffer
  /** The caller's budget, which has to admit the call beside that of the config. */
  readonly budget: Budget | undefined
  /** Says a warning, once. */
  readonly warn: (topic: string, text: string) => Steps<void, never>
}

/** An answer that was fetched just now, with what is to be warned of: who shares it says it, too. */
export interface FetchedAnswer {
  readonly stored: StoredAnswer
  readonly notes: [topic: string, text: string][]
}

/** Asks the client, within the budget. */
export function* fetchAnswer(
  call: ConfigCall,
  signal: AbortSignal | undefined,
  notes: FetchedAnswer['notes'],
): Steps<FetchedAnswer, ModelEvent> {
  const { parts, slot, prepared, last } = call
  const { params, extra, price } = prepared
  const client = clientOf(parts, slot)
  const warn = (topic: string, text: string): void => void notes.push([topic, text])
  const { timeout, maxRetryAfter, sample } = extra
  const options: ModelCallOptions = { signal, last, timeout, maxRetryAfter, sample, warn }
  const reservation = reserveFor([extra.budget, call.budget], { price, client, params, ledger: parts.ledger })
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
  { parts, slot, run, buffer }: ConfigCall,
  client: ModelClient,
  params: ModelParams,
  options: ModelCallOptions,
): Steps<ModelAnswer, ModelEvent> {
  const what = `the client of ${slot.client.modelClientCls ?? params.model ?? `config ${slot.index}`}`
  if (run.face === 'stream' && client.stream) return yield* streamAnswer(client.stream(params, options), buffer, what)
  const target = run.face === 'sync' ? blockingClientOf(parts, slot) : client
  return yield* wait(target.create(params, options), what)
}

/** Cost of an answer: by the config's price, else by the client; null when neither knows. */
export function costFor({ parts, slot, prepared }: ConfigCall, answer: ModelAnswer): number | null {
  const { price } = prepared
  const cost = price ? costOf(answer.usage, price) : clientOf(parts, slot).cost(answer)
  return cost !== null && Number.isFinite(cost) ? cost : null
}
