import { isXError, XError } from '@x/kernel'

/** Error codes that say nothing about a contestant: a failed provider, something missing in the machine or program. */
const OUTAGE_CODES: ReadonlySet<string> = new Set([
  'client-not-registered',
  'invalid-config',
  'no-sandbox',
  'unknown-provider',
])

const OUTAGE_KINDS: ReadonlySet<unknown> = new Set([
  'timeout',
  'rate-limit',
  'quota',
  'overloaded',
  'server',
  'connection',
  'auth',
  'not-found',
])

/** Codes of the system and of `fetch` for a connection that failed. */
const NETWORK_CODE =
  /^(?:EAI_AGAIN|ECONN[A-Z]+|EHOST[A-Z]+|ENET[A-Z]+|ENOTFOUND|ETIMEDOUT|UND_ERR_SOCKET|UND_ERR_[A-Z]+_TIMEOUT)$/u

/** Statuses of HTTP, as clients of vendors throw them, for a key or a service that fails. One of 500 may be a contestant's own. */
const OUTAGE_STATUSES: ReadonlySet<unknown> = new Set([401, 408, 429, 502, 503, 504, 529])

/** Most causes of an error that are looked at. */
const MAX_CAUSES = 5

/** True for an error that a later try may not have. Such an answer is missing, and not wrong. */
export function isOutage(error: unknown): boolean {
  if (isXError(error)) return error.kind ? OUTAGE_KINDS.has(error.kind) : OUTAGE_CODES.has(error.code)
  let each = error
  for (let depth = 0; depth < MAX_CAUSES && each instanceof Error; depth++) {
    const { code, status, cause } = each as {
      readonly code?: unknown
      readonly status?: unknown
      readonly cause?: unknown
    }
    if (OUTAGE_STATUSES.has(status) || (typeof code === 'string' && NETWORK_CODE.test(code))) return true
    each = cause
  }
  return false
}

/** The parts of the result of a search that tell of the calls that it has lost. */
interface SearchEnd {
  readonly status?: unknown
  readonly failures?:
    | readonly { readonly code?: unknown; readonly errorKind?: unknown; readonly message?: unknown }[]
    | undefined
}

const LOST_CODES: ReadonlySet<unknown> = new Set(['model-failed', 'timeout'])

const isLost = (each: NonNullable<SearchEnd['failures']>[number] | undefined): boolean =>
  LOST_CODES.has(each?.code) && (each?.errorKind === undefined || OUTAGE_KINDS.has(each.errorKind))

/**
 * Throws an outage for the result of a search that has lost a call: a search goes on with what it has when a provider
 * fails, and its answer is not that of the method. An answer that a verifier has accepted counts all the same. A call
 * that would fail again, such as one too long for the model, is not lost.
 */
export function checkLostCalls(answer: object): void {
  const { status, failures } = answer as SearchEnd
  const lost = Array.isArray(failures) ? failures.find(isLost) : undefined
  if (lost && status !== 'verified') throw new XError('model-failed', messageOf(lost.message), { kind: 'server' })
}

/** Returns the message of whatever was thrown, also of what has no text. */
export function messageOf(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message : error
    return typeof message === 'object' && message !== null ? JSON.stringify(message) : String(message)
  } catch {
    return 'an error that cannot be told'
  }
}
