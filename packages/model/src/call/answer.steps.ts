import type { CacheStore, MaybePromise, ModelEvent, Run, StoredAnswer } from '@x/interfaces'
import { isThenable, runAsync, type Steps, wait } from '@x/kernel'
import type { HeldClaim } from '../cache/guarded-access.ts'
import { isInFlight, joinFlight } from '../cache/single-flight.ts'
import { costFor } from './answer-fields.ts'
import { CallStore } from './call-store.ts'
import type { ConfigAnswer, ConfigCall } from './config-call.ts'
import { fetchAnswer, type FetchedAnswer } from './sending.steps.ts'
import { sendWarning } from './reporter.steps.ts'
import { copyData } from '../data/plain-data.ts'

/** Answers a request from the cache, from an equal call under way, or by calling the client. */
export function answerCall(call: ConfigCall): Steps<ConfigAnswer, ModelEvent> {
  const { store, extra } = call.prepared
  return store && extra.cacheMode !== 'bypass' ? answerWithStore(call, store) : answerWithoutStore(call)
}

function* answerWithoutStore(call: ConfigCall): Steps<ConfigAnswer, ModelEvent> {
  const fetched = yield* fetchAnswer(call, call.run, [])
  return fetched.warnings.length > 0 ? yield* deliver(call, fetched, false) : configAnswer(fetched.stored, false)
}

function* answerWithStore(call: ConfigCall, store: CacheStore): Steps<ConfigAnswer, ModelEvent> {
  const { prepared, run, parts } = call
  const { params, extra } = prepared
  const mode = extra.cacheMode ?? 'use'
  const key = parts.plan.shared.keys.keyOf(params, call.slot.endpoint, extra.sample, prepared.fixed)
  const joins = run.face === 'async' && mode === 'use'
  if (joins && isInFlight(store, key)) return yield* joinCall(call, key, [])
  const cache = new CallStore(call, key)
  const { warnings } = cache
  if (mode === 'use') {
    const lookup = cache.lookUp()
    // A slow store is read inside the shared call, so a later caller joins that call or finds its answer.
    if (joins && isThenable(lookup)) return yield* joinCall(call, key, warnings, lookup)
    const hit = cache.checkHit(isThenable(lookup) ? yield* wait(lookup, `${cache.name}.get`) : lookup)
    if (hit && warnings.length === 0) {
      if (typeof hit.cost === 'number') return configAnswer(hit, true)
      // A price that is still not known changes nothing.
      if (costFor(call, hit.answer) === null) return { answer: hit.answer, cost: null, cached: true }
    }
    if (hit) return yield* deliver(call, { stored: yield* addCost(call, cache, hit), warnings }, true)
  }
  if (joins) return yield* joinCall(call, key, warnings)
  if (mode === 'refresh' || run.face === 'sync')
    return yield* deliver(call, yield* fetchAndStore(call, cache, run), false)
  const shared = yield* fetchOnce(call, cache, run)
  return yield* deliver(call, shared, shared.hit)
}

/** The result that equal calls share: an answer, and whether it is a cache hit. */
interface SharedAnswer extends FetchedAnswer {
  readonly hit: boolean
}

/** Joins an equal call under way, or starts a call that others may join, with a lookup that is already under way. */
function* joinCall(
  call: ConfigCall,
  key: string,
  warnings: FetchedAnswer['warnings'],
  lookup?: PromiseLike<StoredAnswer | undefined>,
): Steps<ConfigAnswer, never> {
  const { prepared, slot, last, budget } = call
  const { timeout, timeouts, maxRetryAfter, retryTimeouts, budget: configBudget } = prepared.extra
  const limits = { timeout, timeouts, maxRetryAfter, retryTimeouts }
  const terms = { client: slot.client, limits, last, configBudget, budget }
  for (;;) {
    const cache = new CallStore(call, key, lookup ? warnings : [...warnings])
    const flight = joinFlight(prepared.store!, key, terms, (signal) =>
      runAsync(lookUpOrFetch(call, cache, lookup, { signal }), { signal }),
    )
    try {
      const { stored, warnings: shared, hit } = yield* wait(flight.result, 'a shared call')
      const cached = hit || !flight.pay()
      // Only the caller who pays gets the original object.
      return yield* deliver(call, { stored: cached ? copyData(stored) : stored, warnings: shared }, cached)
    } catch (error) {
      if (!flight.foreign) throw error
    } finally {
      flight.leave()
    }
  }
}

/** Waits for a lookup, and fetches the answer on a miss. */
function* lookUpOrFetch(
  call: ConfigCall,
  cache: CallStore,
  lookup: PromiseLike<StoredAnswer | undefined> | undefined,
  stop: Pick<Run, 'signal'>,
): Steps<SharedAnswer, ModelEvent> {
  const hit = lookup && (yield* readHit(call, cache, lookup))
  if (hit) return { stored: hit, warnings: cache.warnings, hit: true }
  return yield* fetchOnce(call, cache, stop)
}

/** Claims the key and fetches the answer, or takes the answer of the process that has claimed the key. */
function* fetchOnce(call: ConfigCall, cache: CallStore, stop: Pick<Run, 'signal'>): Steps<SharedAnswer, ModelEvent> {
  const { hit, claim }: ClaimOutcome = yield* claimKey(cache, () => readHit(call, cache, cache.lookUp()))
  if (hit) return { stored: hit, warnings: cache.warnings, hit: true }
  if (!claim) return { ...(yield* fetchAndStore(call, cache, stop)), hit: false }
  let written: PromiseLike<void> | undefined
  try {
    const fresh = yield* fetchAndStore(call, cache, stop)
    written = fresh.written
    return { ...fresh, hit: false }
  } finally {
    const endClaim = (): void => claim.end()
    // Other processes look the answer up when the claim ends, so the write comes first.
    if (written) written.then(endClaim, endClaim)
    else endClaim()
  }
}

function* deliver(call: ConfigCall, { stored, warnings }: FetchedAnswer, cached: boolean): Steps<ConfigAnswer, never> {
  for (const [topic, text] of warnings) yield* sendWarning(call, topic, text)
  return configAnswer(stored, cached)
}

const configAnswer = ({ answer, cost }: StoredAnswer, cached: boolean): ConfigAnswer => ({ answer, cost, cached })

/** Awaits a lookup and returns the value if it is an answer. */
function* readHit(
  call: ConfigCall,
  cache: CallStore,
  lookup: MaybePromise<StoredAnswer | undefined>,
): Steps<StoredAnswer | undefined, never> {
  const hit = cache.checkHit(isThenable(lookup) ? yield* wait(lookup, `${cache.name}.get`) : lookup)
  return hit && (yield* addCost(call, cache, hit))
}

/** Adds the cost to an answer that was stored without one, and stores it again, once the price is known. */
function* addCost(call: ConfigCall, cache: CallStore, hit: StoredAnswer): Steps<StoredAnswer, never> {
  if (typeof hit.cost === 'number') return hit
  const cost = costFor(call, hit.answer)
  const priced = { ...hit, cost }
  if (cost !== null) yield* storeAnswer(cache, priced)
  return priced
}

/** Fetches an answer and starts to store it; the write is part of the shared call and not awaited here. */
function* fetchAndStore(
  call: ConfigCall,
  cache: CallStore,
  stop: Pick<Run, 'signal'>,
): Steps<FetchedAnswer, ModelEvent> {
  const fresh = yield* fetchAnswer(call, stop, cache.warnings)
  if (fresh.truncated) return fresh
  return { ...fresh, written: yield* storeAnswer(cache, fresh.stored) }
}

/** Stores an answer. Returns the promise of an asynchronous write without waiting; a blocking call refuses it. */
export function* storeAnswer(cache: CallStore, answer: StoredAnswer): Steps<PromiseLike<void> | undefined, never> {
  const writing = cache.storeAnswer(answer)
  if (!isThenable(writing)) return undefined
  if (!cache.waits) yield* wait(writing, `${cache.name}.set`)
  return writing
}

/** Milliseconds before the second lookup of an answer of another process. */
const MIN_POLL_INTERVAL_MS = 20

/** Most milliseconds between two lookups. */
const MAX_POLL_INTERVAL_MS = 250

/** Growth of the interval from lookup to lookup. */
const POLL_BACKOFF = 1.5

/** The outcome of a claim: the answer of another process, or the claim. With neither, the call asks without a claim. */
interface ClaimOutcome {
  readonly hit?: StoredAnswer | undefined
  readonly claim?: HeldClaim | undefined
}

/**
 * Claims the key of a cache miss, or waits for the answer of the process that has claimed it: as long as that process holds
 * its claim, and at most `cacheWait` seconds. `lookUp` reads the cache again.
 */
function* claimKey(cache: CallStore, lookUp: () => Steps<StoredAnswer | undefined, never>): Steps<ClaimOutcome, never> {
  const limit = cache.cacheWait * 1000
  if (limit === 0) return {}
  const start = cache.now()
  let waited = 0
  for (let pause = MIN_POLL_INTERVAL_MS; ; pause = Math.min(pause * POLL_BACKOFF, MAX_POLL_INTERVAL_MS)) {
    const claim = yield* tryClaim(cache)
    if (claim === undefined) return {}
    if (claim) return yield* lookUpAgain(claim, lookUp)
    // Both are compared, since the clock of the platform may jump.
    if (waited >= limit || cache.now() - start >= limit) {
      cache.giveUpWaiting()
      return {}
    }
    yield* sleep(Math.min(pause, limit - waited))
    waited += pause
    const hit = yield* lookUp()
    if (hit) return { hit }
  }
}

/** Looks up an answer that arrived between the first lookup and the claim. */
function* lookUpAgain(
  claim: HeldClaim,
  lookUp: () => Steps<StoredAnswer | undefined, never>,
): Steps<ClaimOutcome, never> {
  let kept = false
  try {
    const hit = yield* lookUp()
    if (hit) return { hit }
    kept = true
    return { claim }
  } finally {
    if (!kept) claim.end()
  }
}

/** Tries to claim the key; a claim that arrives after an abort is released. */
function* tryClaim(cache: CallStore): Steps<HeldClaim | null | undefined, never> {
  const claiming = cache.claimKey()
  if (!isThenable(claiming)) return claiming
  let arrived = false
  try {
    const claim = yield* wait(claiming, `${cache.name}.claim`)
    arrived = true
    return claim
  } finally {
    if (!arrived) claiming.then((late) => late?.end())
  }
}

function* sleep(ms: number): Steps<void, never> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    yield* wait(
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms)
      }),
      'an answer of another process',
    )
  } finally {
    clearTimeout(timer)
  }
}
