import type { CacheStore, MaybePromise, ModelEvent, Run, StoredAnswer } from '@x/interfaces'
import { isThenable, runAsync, wait, type Steps } from '@x/kernel'
import { copyData } from '../data/copy-data.ts'
import type { ConfigAnswer, ConfigCall } from './config-call.ts'
import { fetchAnswer, type FetchedAnswer } from './fetch-answer.steps.ts'
import { sendWarning } from './send-warning.steps.ts'
import { costFor } from './answer-usage.ts'
import { isInFlight, joinFlight } from '../cache/flight.ts'
import { CallStore } from './call-store.ts'
import { claimKey, type ClaimOutcome } from './claim-key.steps.ts'

/** Answers a request from the cache, from an equal call under way, or by the client. */
export function answerCall(call: ConfigCall): Steps<ConfigAnswer, ModelEvent> {
  const { store, extra } = call.prepared
  return store && extra.cacheMode !== 'bypass' ? answerFromStore(call, store) : answerAfresh(call)
}

function* answerAfresh(call: ConfigCall): Steps<ConfigAnswer, ModelEvent> {
  const { stored, notes } = yield* fetchAnswer(call, call.run, [])
  for (const [topic, text] of notes) yield* sendWarning(call, topic, text)
  return answered(stored, false)
}

function* answerFromStore(call: ConfigCall, store: CacheStore): Steps<ConfigAnswer, ModelEvent> {
  const { prepared, run, parts } = call
  const { params, extra } = prepared
  const mode = extra.cacheMode ?? 'use'
  const key = parts.plan.shared.keys.keyOf(params, call.slot.respondent, extra.sample, prepared.fixed)
  const joins = run.face === 'async' && mode === 'use'
  if (joins && isInFlight(store, key)) return yield* joinCall(call, key, [])
  const cache = new CallStore(call, key)
  const { notes } = cache
  if (mode === 'use') {
    const looking = cache.lookUp()
    // A store that takes its time is looked up within the call that others join: one that looks later finds it, or its answer.
    if (joins && isThenable(looking)) return yield* joinCall(call, key, notes, looking)
    const hit = cache.checked(isThenable(looking) ? yield* wait(looking, `${cache.name}.get`) : looking)
    if (hit && typeof hit.cost === 'number' && notes.length === 0) return answered(hit, true)
    if (hit) return yield* deliver(call, { stored: yield* priced(call, cache, hit), notes }, true)
  }
  if (joins) return yield* joinCall(call, key, notes)
  if (mode === 'refresh' || run.face === 'sync')
    return yield* deliver(call, yield* fetchAndStore(call, cache, run), false)
  const shared = yield* fetchOnce(call, cache, run)
  return yield* deliver(call, shared, shared.hit)
}

/** The result that equal calls share: an answer, and whether the store had it. */
interface SharedAnswer extends FetchedAnswer {
  readonly hit: boolean
}

/** Answers by an equal call under way, or by one that others may join; a lookup under way adds to the notes. */
function* joinCall(
  call: ConfigCall,
  key: string,
  notes: FetchedAnswer['notes'],
  looking?: PromiseLike<StoredAnswer | undefined>,
): Steps<ConfigAnswer, never> {
  const { prepared, slot, last, budget } = call
  const { timeout, maxRetryAfter, budget: own } = prepared.extra
  const terms = { client: slot.client, timeout, maxRetryAfter, last, own, budget }
  for (;;) {
    const cache = new CallStore(call, key, looking ? notes : [...notes])
    const flight = joinFlight(prepared.store!, key, terms, (signal) =>
      runAsync(findOrFetch(call, cache, looking, { signal }), { signal }),
    )
    try {
      const { stored, notes: told, hit } = yield* wait(flight.result, 'a shared call')
      const cached = hit || !flight.pay()
      // The answer of the one who pays is not the object that the others hold.
      return yield* deliver(call, { stored: cached ? copyData(stored) : stored, notes: told }, cached)
    } catch (error) {
      if (!flight.foreign) throw error
    } finally {
      flight.leave()
    }
  }
}

/** Waits for the store, and fetches the answer if the store does not have it. */
function* findOrFetch(
  call: ConfigCall,
  cache: CallStore,
  looking: PromiseLike<StoredAnswer | undefined> | undefined,
  stop: Pick<Run, 'signal'>,
): Steps<SharedAnswer, ModelEvent> {
  const hit = looking && (yield* readHit(call, cache, looking))
  if (hit) return { stored: hit, notes: cache.notes, hit: true }
  return yield* fetchOnce(call, cache, stop)
}

/** Fetches an answer that no other process is asking for, or takes the one of the process that asks. */
function* fetchOnce(call: ConfigCall, cache: CallStore, stop: Pick<Run, 'signal'>): Steps<SharedAnswer, ModelEvent> {
  const { hit, claim }: ClaimOutcome = yield* claimKey(cache, () => readHit(call, cache, cache.lookUp()))
  if (hit) return { stored: hit, notes: cache.notes, hit: true }
  if (!claim) return { ...(yield* fetchAndStore(call, cache, stop)), hit: false }
  let written: PromiseLike<void> | undefined
  try {
    const fresh = yield* fetchAndStore(call, cache, stop)
    written = fresh.written
    return { ...fresh, hit: false }
  } finally {
    const end = (): void => claim.end()
    // Others look for the answer when the claim ends: not before it is there.
    if (written) written.then(end, end)
    else end()
  }
}

function* deliver(call: ConfigCall, { stored, notes }: FetchedAnswer, cached: boolean): Steps<ConfigAnswer, never> {
  for (const [topic, text] of notes) yield* sendWarning(call, topic, text)
  return answered(stored, cached)
}

const answered = ({ answer, cost }: StoredAnswer, cached: boolean): ConfigAnswer => ({ answer, cost, cached })

/** Gives the stored value, if it is an answer. */
function* readHit(
  call: ConfigCall,
  cache: CallStore,
  looking: MaybePromise<StoredAnswer | undefined>,
): Steps<StoredAnswer | undefined, never> {
  const hit = cache.checked(isThenable(looking) ? yield* wait(looking, `${cache.name}.get`) : looking)
  return hit && (yield* priced(call, cache, hit))
}

/** An answer that was stored without its cost gets it as soon as the price is known. */
function* priced(call: ConfigCall, cache: CallStore, hit: StoredAnswer): Steps<StoredAnswer, never> {
  if (typeof hit.cost === 'number') return hit
  const cost = costFor(call, hit.answer)
  const its = { ...hit, cost }
  if (cost !== null) yield* storeAnswer(cache, its)
  return its
}

/** Fetches an answer and keeps it, which it does not wait for: the write is part of a shared call. */
function* fetchAndStore(
  call: ConfigCall,
  cache: CallStore,
  stop: Pick<Run, 'signal'>,
): Steps<FetchedAnswer, ModelEvent> {
  const fresh = yield* fetchAnswer(call, stop, cache.notes)
  if (fresh.cut) return fresh
  return { ...fresh, written: yield* storeAnswer(cache, fresh.stored) }
}

/** Keeps an answer. A write that takes its time is given back and not waited for; a blocking call refuses it. */
function* storeAnswer(cache: CallStore, answer: StoredAnswer): Steps<PromiseLike<void> | undefined, never> {
  const writing = cache.keep(answer)
  if (!isThenable(writing)) return undefined
  if (!cache.waits) yield* wait(writing, `${cache.name}.set`)
  return writing
}
