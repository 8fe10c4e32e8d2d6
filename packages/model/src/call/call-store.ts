import type { CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'
import { GuardedAccess } from '../cache/guarded-access.ts'
import type { HeldClaim } from '../cache/held-claim.ts'
import { isStoredAnswer } from '../cache/stored-shape.ts'
import { redact } from '@x/kernel/redact'
import type { ConfigCall } from './config-call.ts'
import type { FetchedAnswer } from './fetch-answer.steps.ts'

/** Seconds that a call waits for an answer of another process at most, unless `cacheWait` says otherwise. */
const LONGEST_WAIT = 60

/** The cache of one call, under its key: no trouble with it is an error of the call. */
export class CallStore extends GuardedAccess {
  /** Warnings of the call so far. */
  readonly notes: FetchedAnswer['notes']
  readonly #call: ConfigCall
  readonly #store: CacheStore
  readonly #key: string

  constructor(call: ConfigCall, key: string, notes: FetchedAnswer['notes'] = []) {
    super()
    this.notes = notes
    this.#call = call
    this.#store = call.prepared.store!
    this.#key = key
  }

  get name(): string {
    return this.#store.name
  }

  /** Looks the answer up. */
  lookUp(): MaybePromise<StoredAnswer | undefined> {
    return this.get(this.#store, this.#key)
  }

  /** Keeps an answer. */
  keep(answer: StoredAnswer): MaybePromise<void> {
    return this.set(this.#store, this.#key, answer)
  }

  /** Claims the key: see {@link GuardedAccess.claim}. */
  claimKey(): MaybePromise<HeldClaim | null | undefined> {
    return this.claim(this.#store, this.#key)
  }

  /** Notes that the answer of another process was waited for in vain. */
  gaveUpWaiting(): void {
    this.waitedInVain(this.#store, this.cacheWait)
  }

  /** Seconds that the call waits for an answer of another process at most. */
  get cacheWait(): number {
    const { prepared, slot } = this.#call
    const { cacheWait = LONGEST_WAIT, timeout = slot.client.timeout ?? Infinity } = prepared.extra
    return Math.min(cacheWait, timeout)
  }

  /** Gives what the store gave, if it is an answer. */
  checked(found: StoredAnswer | undefined): StoredAnswer | undefined {
    if (found === undefined) return undefined
    try {
      if (isStoredAnswer(found)) return found
    } catch {
      // A value that cannot be read is not an answer.
    }
    this.onTrouble(
      `the cache \`${this.name}\` holds something else than an answer under a key; it is asked for again`,
      false,
    )
    return undefined
  }

  get waits(): boolean {
    return this.#call.run.face !== 'sync'
  }

  get cacheTimeout(): number | undefined {
    return this.#call.prepared.extra.cacheTimeout
  }

  now(): number {
    return this.#call.parts.plan.runtime.now()
  }

  /** Notes a trouble for a warning of the call, without secrets: an error of a store may name its password. After the call it goes to the `io`. */
  onTrouble(text: string, late: boolean): void {
    const { slot, parts, agent } = this.#call
    const shown = redact(text, slot.secrets)
    if (!late) {
      // One that waits asks often.
      if (!this.notes.some(([, text]) => text === shown)) this.notes.push(['cache', shown])
    } else if (parts.memory.isNewWarning(`cache: ${shown}`)) {
      const warning = { type: 'warning', agent, chatId: null, agentPath: null, topic: 'cache', text: shown } as const
      // Nobody waits for this warning, and nobody could be told that it failed.
      void (async () => await parts.io.send(warning))().catch(() => {})
    }
  }
}
