import type { JournalEntry, MaybePromise, Run } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import { plainContext, plainJson, restoreContext } from './plain-json.ts'
import { emitIn, innerScope, nextPlace, scopeOf, type Scope } from './scope.ts'
import type { State } from './state.ts'

/** The place of a leaf in a chat. */
export interface Place {
  readonly scope: Scope
  readonly key: string
  /** Who answers there. */
  readonly what: string
  /** The answer of an earlier run. */
  readonly known: JournalEntry | undefined
}

/** Asks a leaf, or the journal if the leaf has answered before; the leaf's own part of the run is that of `state`. */
export function* leaf<T>(state: State, what: string, ask: (run: Run) => MaybePromise<T>): Steps<T> {
  const run = yield* face()
  const place = placeIn(run, what)
  if (place?.known) return place.known.value as T
  const value = yield* wait(ask(leafRun(state, run, place)), what)
  yield* kept(place, value)
  return value
}

/** Takes the next place of the chat for a leaf, and recalls its answer from the journal; nothing outside a chat. */
export function placeIn(run: Run, what: string): Place | undefined {
  const scope = scopeOf(run)
  if (!scope) return undefined
  const key = nextPlace(scope)
  const known = scope.journal?.recall(key)
  if (known && known.what !== what) throw differs(key, known.what, what)
  if (known?.context) recallContext(scope, known.context)
  return { scope, key, what, known }
}

/** {@link placeIn} the run that these steps belong to. */
export function* placeOf(what: string): Steps<Place | undefined> {
  return placeIn(yield* face(), what)
}

/** Keeps the answer of a leaf; the chat goes on when it is kept. */
export function* kept(place: Place | undefined, value: unknown): Steps<void> {
  const journal = place?.scope.journal
  if (!journal) return
  const { scope, key, what } = place
  const entry = { key, what, value: plainJson(value, what), ...changedContext(scope) }
  yield* wait(journal.keep(entry), 'the journal of a chat')
}

/** The run as a leaf of an agent is given it: what it starts takes its places below the leaf's own. */
export function leafRun(state: State, run: Run, place: Place | undefined): Run {
  if (!place) return run
  return { ...run, emit: emitIn(innerScope(place.scope, { key: place.key, agent: state.agent }), run.emit) }
}

function changedContext({ parties }: Scope): Pick<JournalEntry, 'context'> {
  const changed: Record<string, Record<string, unknown>> = {}
  for (const [name, party] of parties) {
    const context = plainContext(party.state.context)
    const text = JSON.stringify(context)
    if (party.context === text) continue
    party.context = text
    changed[name] = context
  }
  return Object.keys(changed).length > 0 ? { context: changed } : {}
}

function recallContext({ parties }: Scope, context: NonNullable<JournalEntry['context']>): void {
  for (const [name, values] of Object.entries(context)) {
    const party = parties.get(name)
    if (!party) continue
    restoreContext(party.state.context, values)
    party.context = JSON.stringify(values)
  }
}

const differs = (key: string, known: string, asked: string): XError =>
  new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${key}\` it had an answer of ${known} and now asks ${asked}; start it with the same agents, message and options`,
    { details: { key, saved: known, asked } },
  )
