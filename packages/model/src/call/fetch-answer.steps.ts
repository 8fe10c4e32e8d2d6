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
import { blockingClientOf, clientOf, type Core } from './wrapper-parts.ts'
import { costOf, finite } from '../usage/price.ts'
import type { Question } from '../request/question.ts'
import { reserveFor } from '../usage/reserve.ts'
import type { Slot } from '../config/slot.ts'
import { streamed, type Outlet } from './stream.steps.ts'

/** One config's share of a call, with what it is asked by. */
export interface Ask {
  readonly core: Core
  readonly slot: Slot
  readonly question: Question
  readonly run: Run
  /** Whether no further config remains. */
  readonly last: boolean
  /** What of a streamed answer is held back and handed out. */
  readonly outlet: Outlet
  /** The caller's budget, which has to admit the call beside that of the config. */
  readonly budget: Budget | undefined
  /** Says a warning, once. */
  readonly warn: (topic: string, text: string) => Steps<void, never>
}

/** An answer that was fetched just now, with what is to be warned of: who shares it says it, too. */
export interface Fetched {
  readonly stored: StoredAnswer
  readonly notes: [topic: string, text: string][]
}

/** Asks the client, within the budget. */
export function* fetched(
  ask: Ask,
  signal: AbortSignal | undefined,
  notes: Fetched['notes'],
): Steps<Fetched, ModelEvent> {
  const { core, slot, question, last } = ask
  const { params, extra, price } = question
  const client = clientOf(core, slot)
  const warn = (topic: string, text: string): void => void notes.push([topic, text])
  const { timeout, maxRetryAfter, sample } = extra
  const options: ModelCallOptions = { signal, last, timeout, maxRetryAfter, sample, warn }
  const reservation = reserveFor([extra.budget, ask.budget], { price, client, params, ledger: core.ledger })
  try {
    const answer = yield* asked(ask, client, params, options)
    const cost = costFor(ask, answer)
    reservation.settle(() => ({ cost: cost ?? 0, tokens: finite(client.getUsage(answer).totalTokens), calls: 1 }))
    return { stored: { answer, cost }, notes }
  } finally {
    reservation.release()
  }
}

function* asked(
  { core, slot, run, outlet }: Ask,
  client: ModelClient,
  params: ModelParams,
  options: ModelCallOptions,
): Steps<ModelAnswer, ModelEvent> {
  const what = `the client of ${slot.client.modelClientCls ?? params.model ?? `config ${slot.index}`}`
  if (run.face === 'stream' && client.stream) return yield* streamed(client.stream(params, options), outlet, what)
  const asked = run.face === 'sync' ? blockingClientOf(core, slot) : client
  return yield* wait(asked.create(params, options), what)
}

/** Cost of an answer: by the config's price, else by the client; null when neither knows. */
export function costFor({ core, slot, question }: Ask, answer: ModelAnswer): number | null {
  const { price } = question
  const cost = price ? costOf(answer.usage, price) : clientOf(core, slot).cost(answer)
  return cost !== null && Number.isFinite(cost) ? cost : null
}
