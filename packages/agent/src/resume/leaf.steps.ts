import type { JournalEntry, JsonSchema, MaybePromise, Run } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import { changedWith, circleIn, recallChanges, type Circle } from './circle.ts'
import { plainJson } from './plain-json.ts'
import { checkedShape } from './saved-state.ts'
import { emitIn, innerScope, inScope, nextPlace, scopeOf, type Scope } from './scope.ts'
import type { State } from '../state/state.ts'

/** The place of a leaf in a chat. */
export interface Place {
  readonly scope: Scope
  readonly key: string
  /** Who answers there. */
  readonly what: string
  /** The answer of an earlier run. */
  readonly known: JournalEntry | undefined
  /** Those who take part inside it, if there is a journal. */
  readonly circle: Circle | null
}

/** Asks a leaf, or the journal if the leaf has answered before; the leaf's own part of the run is that of `state`. */
export function* leaf<T>(
  state: State,
  what: string,
  ask: (run: Run) => MaybePromise<T>,
  shape: JsonSchema = {},
): Steps<T> {
  const run = yield* face()
  const place = placeIn(run, what, shape)
  if (place?.known) return place.known.value as T
  const value = yield* answer(place, what, () => ask(leafRun(state, run, place)))
  yield* kept(place, value)
  return value
}

/** The answer of a leaf; while something inside it waits for an approval it has none, whatever its code makes of that. */
export function* answer<T>(place: Place | undefined, what: string, ask: () => MaybePromise<T>): Steps<T> {
  const inside = place?.circle
  try {
    const value = yield* wait(ask(), what)
    if (!inside?.suspended) return value
  } catch (error) {
    throw inside?.suspended ?? error
  }
  throw inside.suspended
}

/** Takes the next place of the chat for a leaf, and recalls its answer from the journal; nothing outside a chat. */
export function placeIn(run: Run, what: string, shape: JsonSchema = {}): Place | undefined {
  const scope = scopeOf(run)
  if (!scope) return undefined
  const key = nextPlace(scope)
  const known = scope.journal?.recall(key)
  if (known) checkedAnswer(known, what, shape)
  if (known && scope.circle) recallChanges(scope.circle, known)
  return { scope, key, what, known, circle: scope.circle && circleIn(scope.circle) }
}

/** Takes the next place in the run that these steps belong to: see {@link placeIn}. */
export function* placeOf(what: string, shape?: JsonSchema): Steps<Place | undefined> {
  return placeIn(yield* face(), what, shape)
}

/** Runs steps below a place, so that what is kept there itself comes before theirs. */
export function at<T>(place: Place | undefined, steps: Steps<T>): Steps<T> {
  return place ? inScope(innerScope(place.scope, { key: place.key }), steps) : steps
}

/** Keeps the answer of a leaf; the chat goes on when it is kept. */
export function* kept(place: Place | undefined, value: unknown): Steps<void> {
  const journal = place?.scope.journal
  if (!journal) return
  const { scope, key, what, circle } = place
  const changes = scope.circle ? changedWith(scope.circle, circle) : {}
  const entry = { key, what, value: plainJson(value, what), ...changes }
  yield* wait(journal.keep(entry), 'the journal of a chat')
}

/** The run as a leaf of an agent is given it: what it starts takes its places below the leaf's own. */
export function leafRun(state: State, run: Run, place: Place | undefined): Run {
  if (!place) return run
  const { scope, key, circle } = place
  return { ...run, emit: emitIn(innerScope(scope, { key, agent: state.agent, circle }), run.emit) }
}

/** Checks what a journal has for a place: that it is the answer of who is asked now, and has the shape of one. */
export function checkedAnswer({ key, what: known, value }: JournalEntry, what: string, shape: JsonSchema): void {
  if (known !== what) throw differs(key, known, what)
  checkedShape(value, shape, `the saved answer of ${what} at \`${key}\``)
}

const differs = (key: string, known: string, asked: string): XError =>
  new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${key}\` it had an answer of ${known} and now asks ${asked}; start it with the same agents, message and options`,
    { details: { key, saved: known, asked } },
  )
