import type { MaybePromise, ModelEvent, Run, StoredAnswer } from '@x/interfaces'
import { isThenable, runAsync, wait, type Steps } from '@x/kernel'
import { copyData } from '../data/copy-data.ts'
import type { ConfigAnswer, ConfigCall } from './config-call.ts'
import { costFor, fetchAnswer, type FetchedAnswer } from './fetch-answer.steps.ts'
import { sendWarning } from './send-warning.steps.ts'
import { isInFlight, joinFlight } from '../cache/flight.ts'
import { redact } from '../data/redact.ts'

/** Answers a request from the cache, from an equal call under way, or by the client. */
export function* answerCall(call: ConfigCall): Steps<ConfigAnswer, ModelEvent> {
  const { prepared, run, parts } = call
  const { store, params, extra } = prepared
  const mode = extra.cacheMode ?? 'use'
  if (!store || mode === 'bypass') return yield* deliver(call, yield* fetchAnswer(call, run, []), false)
  const key = parts.plan.shared.keys.keyOf(params, call.slot.respondent, extra.sample, prepared.fixed)
  const joins = run.face === 'async' && mode === 'use'
  if (joins && isInFlight(store, key)) return yield* joinCall(call, key)
  const notes: FetchedAnswer['notes'] = []
  if (mode === 'use') {
    const looking = lookUp(call, key, notes)
    // A store that takes its time is looked up within the call that others join: one that looks later finds it, or its answer.
    if (joins && isThenable(looking)) return yield* joinCall(call, key, looking)
    const hit = yield* readHit(call, key, looking, notes)
    if (hit) return yield* deliver(call, { stored: hit, notes }, true)
  }
  if (joins) return yield* joinCall(call, key, undefined, notes)
  return yield* deliver(call, yield* fetchAndStore(call, key, run, notes), false)
}

/** The result that equal calls share: an answer, and whether the store had it. */
interface SharedAnswer extends FetchedAnswer {
  readonly hit: boolean
}

/** Answers by an equal call under way, or by one that others may join. */
function* joinCall(
  call: ConfigCall,
  key: string,
  looking?: PromiseLike<StoredAnswer | undefined>,
  notes: FetchedAnswer['notes'] = [],
): Steps<ConfigAnswer, never> {
  const { prepared, slot, last, budget } = call
  const { timeout, maxRetryAfter, budget: own } = prepared.extra
  const terms = { client: slot.client, timeout, maxRetryAfter, last, own, budget }
  for (;;) {
    const flight = joinFlight(prepared.store!, key, terms, (signal) =>
      runAsync(findOrFetch(call, key, { looking, notes: [...notes] }, { signal }), { signal }),
    )
    try {
      const shared = yield* wait(flight.result, 'a shared call')
      const cached = shared.hit || !flight.pay()
      // The answer of the one who pays is not the object that the others hold.
      return yield* deliver(call, cached ? copyData(shared) : shared, cached)
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
  readonly notes: FetchedAnswer['notes']
}

/** Waits for the store, and fetches the answer if the store does not have it. */
function* findOrFetch(
  call: ConfigCall,
  key: string,
  { looking, notes }: Search,
  stop: Pick<Run, 'signal'>,
): Steps<SharedAnswer, ModelEvent> {
  const hit = looking && (yield* readHit(call, key, looking, notes))
  if (hit) return { stored: hit, notes, hit: true }
  return { ...(yield* fetchAndStore(call, key, stop, notes)), hit: false }
}

function* deliver(call: ConfigCall, { stored, notes }: FetchedAnswer, cached: boolean): Steps<ConfigAnswer, never> {
  for (const [topic, text] of notes) yield* sendWarning(call, topic, text)
  return { ...stored, cached }
}

/** Begins to look a key up; a cache that fails is a warning and a miss. */
function lookUp(call: ConfigCall, key: string, notes: FetchedAnswer['notes']): MaybePromise<StoredAnswer | undefined> {
  try {
    return call.prepared.store!.get(key)
  } catch (error) {
    notes.push(['cache', cacheTrouble(call, 'looked up', error)])
    return undefined
  }
}

/** Gives the stored value, if it is an answer. */
function* readHit(
  call: ConfigCall,
  key: string,
  looking: MaybePromise<StoredAnswer | undefined>,
  notes: FetchedAnswer['notes'],
): Steps<StoredAnswer | undefined, never> {
  let hit: StoredAnswer | undefined
  try {
    hit = isThenable(looking) ? yield* wait(looking, `${call.prepared.store!.name}.get`) : looking
  } catch (error) {
    notes.push(['cache', cacheTrouble(call, 'looked up', error)])
  }
  if (!hit || !Array.isArray(hit.answer?.choices)) return undefined
  if (typeof hit.cost === 'number') return hit
  // An answer that was stored without its cost gets it as soon as the price is known.
  const cost = costFor(call, hit.answer)
  const priced = { ...hit, cost }
  if (cost === null) return priced
  yield* storeAnswer(call, key, { stored: priced, notes })
  return priced
}

/** Fetches an answer and keeps it: the write is part of a shared call. A cache that fails is a warning. */
function* fetchAndStore(
  call: ConfigCall,
  key: string,
  stop: Pick<Run, 'signal'>,
  notes: FetchedAnswer['notes'],
): Steps<FetchedAnswer, ModelEvent> {
  const fresh = yield* fetchAnswer(call, stop, notes)
  yield* storeAnswer(call, key, fresh)
  return fresh
}

function* storeAnswer(call: ConfigCall, key: string, { stored: answer, notes }: FetchedAnswer): Steps<void, never> {
  const store = call.prepared.store!
  try {
    yield* wait(store.set(key, answer), `${store.name}.set`)
  } catch (error) {
    notes.push(['cache', cacheTrouble(call, 'kept', error)])
  }
}

/** Text of the warning about a failing store, without secrets: an error of a store may name its password. */
function cacheTrouble({ prepared, slot }: ConfigCall, done: string, error: unknown): string {
  const reason = redact(error instanceof Error ? error.message : String(error), slot.secrets)
  return `an answer could not be ${done} in the cache \`${prepared.store!.name}\`, and the call went on without it: ${reason}`
}
