import type { CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'
import { redact } from '@x/kernel/redact'
import { GuardedAccess, type HeldClaim } from '../cache/guarded-access.ts'
import { type ConfigCall, keptCall } from './config-call.ts'
import { isRecord } from '../data/plain-data.ts'
import { sendToIo } from './wrapper-parts.ts'
import type { FetchedAnswer } from './sending.steps.ts'

/** Seconds that a call waits for the answer of another process, unless `cacheWait` says otherwise. */
const DEFAULT_CACHE_WAIT_S = 60

/** The cache of one call under its key. A failure of the cache is a warning and never fails the call. */
export class CallStore extends GuardedAccess {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: CallStore = new CallStore(keptCall(), '')
  /** Warnings of the call so far. */
  readonly warnings: FetchedAnswer['warnings']
  readonly #call: ConfigCall
  readonly #store: CacheStore
  readonly #key: string

  constructor(call: ConfigCall, key: string, warnings: FetchedAnswer['warnings'] = []) {
    super()
    this.warnings = warnings
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

  /** Stores an answer. */
  storeAnswer(answer: StoredAnswer): MaybePromise<void> {
    return this.set(this.#store, this.#key, answer)
  }

  /** Claims the key: see {@link GuardedAccess.claim}. */
  claimKey(): MaybePromise<HeldClaim | null | undefined> {
    return this.claim(this.#store, this.#key)
  }

  /** Notes that the answer of another process did not arrive in time. */
  giveUpWaiting(): void {
    this.noteClaimTimeout(this.#store, this.cacheWait)
  }

  /** Most seconds that the call waits for the answer of another process. */
  get cacheWait(): number {
    const { prepared, slot } = this.#call
    const { cacheWait = DEFAULT_CACHE_WAIT_S, timeout = slot.client.timeout ?? Infinity } = prepared.extra
    return Math.min(cacheWait, timeout)
  }

  /** Returns a value of the store if it is an answer; otherwise the lookup is a miss with a warning. */
  checkHit(value: StoredAnswer | undefined): StoredAnswer | undefined {
    if (value === undefined) return undefined
    try {
      if (isStoredAnswer(value)) return value
    } catch {
      // A value that cannot be read is not an answer.
    }
    this.onTrouble(
      `the cache \`${this.name}\` holds something other than an answer under a key; the model is asked again`,
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

  /** Adds a warning to the call; after the call (`late`) it goes to the `io`. Secrets are redacted: an error of a store may show its password. */
  onTrouble(text: string, late: boolean): void {
    const { slot, parts, agent } = this.#call
    const safeText = redact(text, slot.secrets)
    if (!late) {
      // A waiting call looks up often.
      if (!this.warnings.some(([, noted]) => noted === safeText)) this.warnings.push(['cache', safeText])
    } else if (parts.memory.isNewWarning(`cache: ${safeText}`)) {
      const warning = { type: 'warning', agent, topic: 'cache', text: safeText } as const
      // Nobody awaits this warning, so its failure is ignored.
      void (async () => await sendToIo(parts, warning))().catch(() => {})
    }
  }
}

/** Tells whether a value of a store is an answer: it may come from another version or program, or be damaged. */
function isStoredAnswer(value: unknown): value is StoredAnswer {
  if (!isRecord(value) || !isRecord(value['answer']) || !isAmount(value['cost'])) return false
  const { choices, model, usage } = value['answer']
  if (typeof model !== 'string' || !Array.isArray(choices)) return false
  return isUsage(usage) && choices.every(isChoice)
}

function isChoice(choice: unknown): boolean {
  if (!isRecord(choice) || typeof choice['index'] !== 'number' || !isRecord(choice['message'])) return false
  const { content, tool_calls: calls, function_call: call } = choice['message']
  const isContent =
    isAbsent(content) || typeof content === 'string' || (Array.isArray(content) && content.every(isRecord))
  return isContent && isTextOrAbsent(choice['finish_reason']) && (isAbsent(call) || isCall(call)) && areCalls(calls)
}

const areCalls = (calls: unknown): boolean =>
  isAbsent(calls) || (Array.isArray(calls) && calls.every((call) => isRecord(call) && isCall(call['function'])))

const isCall = (call: unknown): boolean =>
  isRecord(call) && typeof call['name'] === 'string' && typeof call['arguments'] === 'string'

const isUsage = (usage: unknown): boolean =>
  isAbsent(usage) ||
  (isRecord(usage) &&
    isAmount(usage['prompt_tokens']) &&
    isAmount(usage['completion_tokens']) &&
    isAmount(usage['total_tokens']))

/** Null is an unknown cost; stores of other programs leave it out. */
const isAmount = (value: unknown): boolean => isAbsent(value) || (typeof value === 'number' && value >= 0)

const isTextOrAbsent = (value: unknown): boolean => isAbsent(value) || typeof value === 'string'

const isAbsent = (value: unknown): boolean => value === undefined || value === null
