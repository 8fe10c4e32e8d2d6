import type { StoredAnswer } from '@x/interfaces'
import { isThenable, wait, type Steps } from '@x/kernel'
import type { HeldClaim } from '../cache/held-claim.ts'
import type { CallStore } from './call-store.ts'

/** Milliseconds before the second look for an answer of another process; each pause is half as long again as the one before. */
const FIRST_PAUSE = 20

/** Milliseconds between two looks at most. */
const LONGEST_PAUSE = 250

/** What came of a claim: an answer of another process, or the right to ask. With neither the call asks without it. */
export interface ClaimOutcome {
  readonly hit?: StoredAnswer | undefined
  readonly claim?: HeldClaim | undefined
}

/**
 * Claims the key of a call that the cache does not have, or waits for the answer of the process that has claimed it: as long
 * as that holds its claim, and no longer than the call waits. `look` gives what the cache has by now.
 */
export function* claimKey(
  cache: CallStore,
  look: () => Steps<StoredAnswer | undefined, never>,
): Steps<ClaimOutcome, never> {
  const limit = cache.cacheWait * 1000
  if (limit === 0) return {}
  const start = cache.now()
  let waited = 0
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
    const claim = yield* claimOnce(cache)
    if (claim === undefined) return {}
    if (claim) return yield* lookAgain(claim, look)
    // Both, since the clock of the platform may jump.
    if (waited >= limit || cache.now() - start >= limit) {
      cache.gaveUpWaiting()
      return {}
    }
    yield* sleep(Math.min(pause, limit - waited))
    waited += pause
    const hit = yield* look()
    if (hit) return { hit }
  }
}

/** Looks for an answer that came between the lookup and the claim. */
function* lookAgain(claim: HeldClaim, look: () => Steps<StoredAnswer | undefined, never>): Steps<ClaimOutcome, never> {
  let kept = false
  try {
    const hit = yield* look()
    if (hit) return { hit }
    kept = true
    return { claim }
  } finally {
    if (!kept) claim.end()
  }
}

/** Asks for the claim; one that comes after an abort is released. */
function* claimOnce(cache: CallStore): Steps<HeldClaim | null | undefined, never> {
  const claiming = cache.claimKey()
  if (!isThenable(claiming)) return claiming
  let known = false
  try {
    const claim = yield* wait(claiming, `${cache.name}.claim`)
    known = true
    return claim
  } finally {
    if (!known) claiming.then((late) => late?.end())
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
