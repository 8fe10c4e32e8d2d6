import type { Budget, Face, MaybePromise, ModelAnswer, ModelEvent, ModelResponse, Reservation } from '@x/interfaces'
import { currentRun, isThenable, wait, type Steps } from '@x/kernel'
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
