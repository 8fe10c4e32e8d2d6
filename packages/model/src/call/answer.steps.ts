import type { MaybePromise, ModelEvent, StoredAnswer } from '@x/interfaces'
import { isThenable, runAsync, wait, type Steps } from '@x/kernel'
import { copied } from '../data/copy.ts'
import { costFor, fetched, type Ask, type Fetched } from './fetch-answer.steps.ts'
import { isFlying, joinFlight } from '../cache/flight.ts'
import { redact } from '../data/redact.ts'

/** An answer, and whether a cache gave it. */
export interface Answered extends StoredAnswer {
  readonly cached: boolean
}

/** Answers a question from the cache, from an equal call under way, or by the client. */
export function* answered(ask: Ask): Steps<Answered, ModelEvent> {
  const { question, run, core } = ask
  const { store, params, extra } = question
  const mode = extra.cacheMode ?? 'use'
  if (!store || mode === 'bypass') return yield* handed(ask, yield* fetched(ask, run.signal, []), false)
  const key = core.family.keys.keyOf(params, ask.slot.respondent, extra.sample)
  const joins = run.face === 'async' && mode === 'use'
  if (joins && isFlying(store, key)) return yield* flown(ask, key)
  const notes: Fetched['notes'] = []
  if (mode === 'use') {
    const looking = lookedUp(ask, key, notes)
    // A store that takes its time is looked up within the call that others join: one that looks later finds it, or its answer.
    if (joins && isThenable(looking)) return yield* flown(ask, key, looking)
    const hit = yield* found(ask, key, looking, notes)
    if (hit) return yield* handed(ask, { stored: hit, notes }, true)
  }
  if (joins) return yield* flown(ask, key, undefined, notes)
  return yield* handed(ask, yield* fetchedAndStored(ask, key, run.signal, notes), false)
}

/** What equal calls share: an answer, and whether the store had it. */
interface Shared extends Fetched {
  readonly hit: boolean
}

/** Answers by an equal call under way, or by one that others may join. */
function* flown(
  ask: Ask,
  key: string,
  looking?: PromiseLike<StoredAnswer | undefined>,
  notes: Fetched['notes'] = [],
): Steps<Answered, never> {
  const { question, slot, last, budget } = ask
  const { timeout, maxRetryAfter, budget: own } = question.extra
  const terms = { client: slot.client, timeout, maxRetryAfter, last, own, budget }
  for (;;) {
    const flight = joinFlight(question.store!, key, terms, (signal) =>
      runAsync(sought(ask, key, { looking, notes: [...notes] }, signal), { signal }),
    )
    try {
      const shared = yield* wait(flight.result, 'a shared call')
      const cached = shared.hit || !flight.pay()
      // The answer of the one who pays is not the object that the others hold.
      return yield* handed(ask, cached ? copied(shared) : shared, cached)
    } catch (error) {
      if (!flight.foreign) throw error
    } finally {
      flight.leave()
    }
  }
}

/** A lookup under way, if there is one, and what is to be warned of so far. */
interface Search {
  readonly looking: PromiseLike<StoredAnswer | undefined> | undefined
  readonly notes: Fetched['notes']
}

/** Waits for what the store has, and fetches what it does not have. */
function* sought(
  ask: Ask,
  key: string,
  { looking, notes }: Search,
  signal: AbortSignal | undefined,
): Steps<Shared, ModelEvent> {
  const hit = looking && (yield* found(ask, key, looking, notes))
  if (hit) return { stored: hit, notes, hit: true }
  return { ...(yield* fetchedAndStored(ask, key, signal, notes)), hit: false }
}

function* handed(ask: Ask, { stored, notes }: Fetched, cached: boolean): Steps<Answered, never> {
  for (const [topic, text] of notes) yield* ask.warn(topic, text)
  return { ...stored, cached }
}

/** Begins to look a key up; a cache that fails is a warning and a miss. */
function lookedUp(ask: Ask, key: string, notes: Fetched['notes']): MaybePromise<StoredAnswer | undefined> {
  try {
    return ask.question.store!.get(key)
  } catch (error) {
    notes.push(['cache', cacheTrouble(ask, 'looked up', error)])
    return undefined
  }
}

/** Gives what was found, if it is an answer. */
function* found(
  ask: Ask,
  key: string,
  looking: MaybePromise<StoredAnswer | undefined>,
  notes: Fetched['notes'],
): Steps<StoredAnswer | undefined, never> {
  let hit: StoredAnswer | undefined
  try {
    hit = isThenable(looking) ? yield* wait(looking, `${ask.question.store!.name}.get`) : looking
  } catch (error) {
    notes.push(['cache', cacheTrouble(ask, 'looked up', error)])
  }
  if (!hit || !Array.isArray(hit.answer?.choices)) return undefined
  if (typeof hit.cost === 'number') return hit
  // Rule 7 of the spec: an answer that was stored without its cost gets it when it is known.
  const cost = costFor(ask, hit.answer)
  const priced = { ...hit, cost }
  if (cost === null) return priced
  yield* stored(ask, key, { stored: priced, notes })
  return priced
}

/** Fetches an answer and keeps it: the write is part of a shared call. A cache that fails is a warning. */
function* fetchedAndStored(
  ask: Ask,
  key: string,
  signal: AbortSignal | undefined,
  notes: Fetched['notes'],
): Steps<Fetched, ModelEvent> {
  const fresh = yield* fetched(ask, signal, notes)
  yield* stored(ask, key, fresh)
  return fresh
}

function* stored(ask: Ask, key: string, { stored: answer, notes }: Fetched): Steps<void, never> {
  const store = ask.question.store!
  try {
    yield* wait(store.set(key, answer), `${store.name}.set`)
  } catch (error) {
    notes.push(['cache', cacheTrouble(ask, 'kept', error)])
  }
}

/** What to warn of; a store may name its own password. */
function cacheTrouble({ question, slot }: Ask, done: string, error: unknown): string {
  const reason = redact(error instanceof Error ? error.message : String(error), slot.secrets)
  return `an answer could not be ${done} in the cache \`${question.store!.name}\`, and the call went on without it: ${reason}`
}
