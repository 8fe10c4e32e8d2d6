import type {
  Budget,
  ChatMessage,
  Face,
  MaybePromise,
  ModelAnswer,
  ModelEvent,
  ModelResponse,
  OpenCall,
  Reservation,
} from '@x/interfaces'
import { currentRun, isThenable, wait, type Steps } from '@x/kernel'
import { answerEvents } from './answer-events.ts'
import type { Turn } from './turn.ts'

/** Plays the reply to one request: whole, or as events in the streaming face; `finish` makes the result of the answer. */
export function* respond<R>(
  take: (face: Face) => MaybePromise<Turn>,
  finish: (answer: ModelAnswer, cost: number | null) => R,
): Steps<R, ModelEvent> {
  const run = yield* currentRun()
  const taken = take(run.face)
  const turn = isThenable(taken) ? yield* wait(taken, 'a delayed reply of the scripted model') : taken
  for (const item of turn.items(run.face === 'stream')) {
    if (isThenable(item)) yield* wait(item, 'a pause in a scripted stream')
    else if (run.face === 'stream') yield item
  }
  return finish(turn.end(), turn.cost)
}

/** Runs `respond` within a budget: reserves one call before the reply, and settles it by the reported usage. */
export function* budgeted(budget: Budget, steps: Steps<ModelResponse, ModelEvent>): Steps<ModelResponse, ModelEvent> {
  const reserving = budget.reserve({ cost: 0, tokens: 0, calls: 1 })
  const reservation = isThenable(reserving) ? yield* reserved(reserving) : reserving
  try {
    const response = yield* steps
    reservation.settle({ cost: response.cost, tokens: response.usage?.total_tokens ?? 0, calls: 1 })
    return response
  } finally {
    reservation.release()
  }
}

/** An answer as a journal keeps it, or a reply that a fork was given in its place. */
type KeptAnswer =
  | { readonly answer: ModelAnswer; readonly cost: number | null }
  | { readonly reply: string | ChatMessage }

/** How a call is answered: by `steps`, or from what a journal has, of which `finish` makes the result. */
interface CallParts {
  readonly steps: Steps<ModelResponse, ModelEvent>
  readonly model: string | undefined
  readonly finish: (answer: ModelAnswer, cost: number | null) => ModelResponse
}

/** Plays the reply to a request at a place of its own in a run, or gives the answer that the journal of the run has. */
export function* inCall(open: OpenCall, { steps, model: name, finish }: CallParts): Steps<ModelResponse, ModelEvent> {
  try {
    const known = open.known?.value as KeptAnswer | undefined
    if (known) {
      const { answer, cost } = 'reply' in known ? { answer: givenAnswer(known.reply, name), cost: 0 } : known
      if ((yield* currentRun()).face === 'stream') yield* answerEvents(answer)
      return finish(answer, cost)
    }
    const held = open.beforeCall?.()
    if (held) yield* wait(held, 'the journal of a chat')
    const response = yield* steps
    const { id, model, created, choices, usage, cost } = response
    const answer = { id, model, created, choices, ...(usage && { usage }) }
    if (open.recorded) yield* wait(open.keep({ answer, cost, configId: 0, cached: false }), 'the journal of a chat')
    return response
  } finally {
    open.end()
  }
}

function givenAnswer(reply: string | ChatMessage, model = 'scripted'): ModelAnswer {
  const given = typeof reply === 'string' ? { content: reply } : reply
  const message: ChatMessage = { role: 'assistant', content: null, ...given }
  const choice = { index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' } as const
  return { id: 'given', model, created: 0, choices: [choice] }
}

/** Waits for a reservation; releases a reservation that comes too late. */
function* reserved(reserving: PromiseLike<Reservation>): Steps<Reservation, never> {
  let reservation: Reservation | undefined
  try {
    return (reservation = yield* wait(reserving, 'the budget of a call'))
  } finally {
    if (!reservation) {
      Promise.resolve(reserving)
        .then((unused) => unused.release())
        .catch(() => {})
    }
  }
}
