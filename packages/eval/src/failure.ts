import { isXError } from '@x/kernel'

/** Error codes that say nothing about a contestant: a provider that failed, a machine or program that lacks something. */
const OUTAGE_CODES: ReadonlySet<string> = new Set([
  'client-not-registered',
  'invalid-config',
  'no-sandbox',
  'unknown-provider',
])

const OUTAGE_KINDS: ReadonlySet<string> = new Set([
  'timeout',
  'rate-limit',
  'quota',
  'overloaded',
  'server',
  'connection',
  'auth',
  'not-found',
])

/** True for an error that a later try may not have. Such an answer is missing, and not wrong. */
export const isOutage = (error: unknown): boolean =>
  isXError(error) && (error.kind ? OUTAGE_KINDS.has(error.kind) : OUTAGE_CODES.has(error.code))

/** Returns the message of whatever was thrown, also of what has no text. */
export function messageOf(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message : error
    return typeof message === 'object' && message !== null ? JSON.stringify(message) : String(message)
  } catch {
    return 'an error that cannot be told'
  }
}
