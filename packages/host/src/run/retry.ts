import type { HostedChat, ModelErrorKind } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** Kind of an error that a chat may wait out: that of a failed model call, or `store` for a database of the program. */
export type RetryKind = Exclude<ModelErrorKind, 'aborted'> | 'store'

/** The policy by which a chat waits out the errors of its program, and runs again from its journal. */
export interface RetryPolicy {
  /** Kinds of errors that set the chat back; every other error ends it. Default: `overloaded`, `rate-limit`, `connection`, `timeout`, `server`, `truncated`, `store`. */
  readonly kinds?: readonly RetryKind[] | undefined
  /** Seconds from the first failure in a row after which a failure ends the chat; default 21,600, which is six hours. */
  readonly for?: number | undefined
  /** Most failures in a row that set the chat back; 0: every failure ends it. Default: no limit. */
  readonly most?: number | undefined
  /** Seconds of the delay after a first failure; each further one is twice as long. Default 1; at least 0.001. */
  readonly firstDelay?: number | undefined
  /** Most seconds of a delay, unless the provider asks for more; default 300. Less for people who wait, more for a provider that must not be asked often. */
  readonly maxDelay?: number | undefined
}

/** A failure of a program that its chat waits out. */
export interface Retry {
  readonly kind: RetryKind
  /** Text of the error. */
  readonly reason: string
  /** Number of the failure in a row, from 1. */
  readonly failures: number
  /** Milliseconds until the chat runs again. */
  readonly delayMs: number
}

const DEFAULT_KINDS: readonly RetryKind[] = [
  'overloaded',
  'rate-limit',
  'connection',
  'timeout',
  'server',
  // An answer that breaks off is a connection that breaks off, for whoever waits.
  'truncated',
  'store',
]
const DEFAULT_DURATION_S = 21_600
const DEFAULT_FIRST_DELAY_S = 1
const DEFAULT_MAX_DELAY_S = 300
/** Smallest delay: without one, a chat would ask a provider that is away without end. */
const MIN_DELAY_S = 0.001
/** Part of a delay that is random: chats that failed at the same time do not come back at the same time. */
const JITTER_RATIO = 0.5
/** The same of a time for which the provider asks, which it tells all chats alike; it is added. */
const RETRY_AFTER_JITTER_RATIO = 0.25

const RETRY_KINDS: Readonly<Record<RetryKind, true>> = {
  timeout: true,
  'rate-limit': true,
  quota: true,
  overloaded: true,
  server: true,
  connection: true,
  auth: true,
  'not-found': true,
  'invalid-request': true,
  'context-overflow': true,
  truncated: true,
  'content-filter': true,
  store: true,
}

const isRetryKind = (value: unknown): value is RetryKind =>
  typeof value === 'string' && Object.hasOwn(RETRY_KINDS, value)

const RETRY_OPTION_KINDS: OptionKinds<RetryPolicy> = {
  kinds: {
    expected: `a list of ${Object.keys(RETRY_KINDS)
      .map((each) => `'${each}'`)
      .join(', ')}`,
    takes: (value) => Array.isArray(value) && value.every(isRetryKind),
  },
  for: kind.number(0),
  most: kind.whole(0),
  firstDelay: kind.number(MIN_DELAY_S),
  maxDelay: kind.number(MIN_DELAY_S),
}

/** Refuses a wrong policy. */
export const checkRetry = (policy: RetryPolicy | undefined, attempt: string): void =>
  checkOptions(policy, RETRY_OPTION_KINDS, attempt)

/** The failures of a chat so far, and what a decision on the next one needs. */
interface FailureRow {
  readonly policy: RetryPolicy | undefined
  /** The earlier failures in a row; null for none, or if an entry was kept since. */
  readonly before: HostedChat['retry']
  /** Milliseconds for which the program ran. */
  readonly ranMs: number
  /** A random number from 0 to 1. */
  readonly random: number
  readonly reason: string
}

/** Decides how a chat waits out an error of its program; null if the error ends the chat. */
export function retryOf(error: unknown, { policy = {}, before, ranMs, random, reason }: FailureRow): Retry | null {
  const { for: durationS = DEFAULT_DURATION_S, most = Infinity } = policy
  const failure = failureOf(error)
  if (!failure) return null
  const { kind: found } = failure
  if (!isWaitedOut(found, policy)) return null
  const failures = (before?.failures ?? 0) + 1
  // Both times are those of the store, whatever the clock of this process says.
  const leftMs = durationS * 1000 - (before ? before.at - before.since + ranMs : 0)
  if (failures > most || leftMs <= 0) return null
  const waitMs = Math.max(
    backoffMs(failures, random, policy),
    failure.retryAfterMs * (1 + random * RETRY_AFTER_JITTER_RATIO),
  )
  // The last try comes at the end of the time.
  return { kind: found, reason, failures, delayMs: Math.round(Math.min(waitMs, leftMs)) }
}

const isWaitedOut = (found: string, { kinds = DEFAULT_KINDS }: RetryPolicy): found is RetryKind =>
  isRetryKind(found) && kinds.includes(found)

/**
 * True if a chat waits out an error that a tool of its program fails by: that of a model which the tool has asked, by itself or
 * by an agent. Other errors of tools, such as those of a service, are told to the model, which may know another way.
 */
export function waitsOutInTool(error: unknown, policy: RetryPolicy = {}): boolean {
  if (policy.most === 0 || policy.for === 0) return false
  const failure = failureOf(error)
  return failure !== null && failure.ofModel && isWaitedOut(failure.kind, policy)
}

function backoffMs(
  failures: number,
  random: number,
  { firstDelay = DEFAULT_FIRST_DELAY_S, maxDelay = DEFAULT_MAX_DELAY_S }: RetryPolicy,
): number {
  const longestMs = Math.min(maxDelay, firstDelay * 2 ** (failures - 1)) * 1000
  return longestMs * (1 - JITTER_RATIO + random * JITTER_RATIO)
}

interface Failure {
  readonly kind: RetryKind | 'aborted'
  readonly retryAfterMs: number
  /** True for a failed call of a model. */
  readonly ofModel: boolean
}

/** Number of causes that are followed. */
const MAX_CAUSES = 8

/** Returns the kind of an error, or of the error that caused it; null for an error of no kind. */
export function failureOf(error: unknown): Failure | null {
  let cause = error
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === 'object' && cause !== null; depth++) {
    if (isXError(cause)) {
      const { kind, code, retryAfterMs = 0, details } = cause
      // A part has waited out its errors itself.
      if (details?.['isPart'] === true) return null
      const own = kind ?? CODE_KINDS.get(code)
      return own ? { kind: own, retryAfterMs: Math.max(0, retryAfterMs), ofModel: kind !== undefined } : null
    }
    const kind = systemKind(cause)
    if (kind) return { kind, retryAfterMs: 0, ofModel: false }
    cause = (cause as { cause?: unknown }).cause
  }
  return null
}

/** Kinds of errors of the framework that are not errors of a model call, by their codes. */
const CODE_KINDS: ReadonlyMap<string, RetryKind> = new Map([
  ['connection-failed', 'connection'],
  ['timeout', 'timeout'],
])

/** Codes of errors of networks, as Node gives them. */
const NETWORK_KINDS: ReadonlyMap<string, RetryKind> = new Map([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'].map(
    (code) => [code, 'connection'] as const,
  ),
  ['UND_ERR_SOCKET', 'connection'],
  ...['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].map(
    (code) => [code, 'timeout'] as const,
  ),
])

/** States of SQL for a lost connection, a lack of resources, a server that stops or starts, a conflict of transactions, a server that only reads. */
const SQL_STATES = /^(?:08|53|57P|40|25006)[0-9A-Z]*$/u
/** Replies of Redis that starts, is full, cannot write to its disk, or has no primary or too few replicas. */
const REDIS_REPLIES = /^(?:LOADING|BUSY|OOM|MISCONF|READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN) /u
/** Primary result codes of SQLite: busy, locked, an error of the disk, full. */
const SQLITE_CODES: ReadonlySet<number> = new Set([5, 6, 10, 13])

/** Returns the kind of an error of the network or of a database; undefined for any other. */
function systemKind(error: object): RetryKind | undefined {
  const { code, errcode, message } = error as { code?: unknown; errcode?: unknown; message?: unknown }
  if (typeof errcode === 'number') return SQLITE_CODES.has(errcode & 0xff) ? 'store' : undefined
  if (typeof code === 'string') {
    const kind = NETWORK_KINDS.get(code)
    if (kind) return kind
    if (code.length === SQL_STATE_LENGTH && SQL_STATES.test(code)) return 'store'
  }
  return typeof message === 'string' && REDIS_REPLIES.test(message) ? 'store' : undefined
}

const SQL_STATE_LENGTH = 5
