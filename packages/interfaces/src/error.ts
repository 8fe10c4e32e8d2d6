/** What went wrong, from a closed list; each is explained in `docs/errors.md`. */
export type ErrorCode =
  | 'aborted'
  | 'ambiguous-conversation'
  | 'ambiguous-name'
  | 'async-in-sync'
  | 'budget-exceeded'
  | 'client-not-registered'
  | 'connection-failed'
  | 'content-filter'
  | 'duplicate-hook'
  | 'end-of-input'
  | 'invalid-argument'
  | 'invalid-config'
  | 'invalid-message'
  | 'invalid-name'
  | 'invalid-result'
  | 'invalid-state'
  | 'conversation-busy'
  | 'model-failed'
  | 'no-eligible-speaker'
  | 'no-executor'
  | 'no-response'
  | 'no-sandbox'
  | 'server-refused'
  | 'suspended'
  | 'timeout'
  | 'too-many-messages'
  | 'tool-failed'
  | 'undefined-next-agent'
  | 'unknown-client'
  | 'unknown-conversation'
  | 'unknown-hook'
  | 'unknown-method'
  | 'unknown-provider'
  | 'unknown-state-version'
  | 'unknown-tool'

/** Why a model call failed, independent of any SDK; failover is decided by it. */
export type ModelErrorKind =
  | 'timeout'
  | 'rate-limit'
  | 'quota'
  | 'overloaded'
  | 'server'
  | 'connection'
  | 'auth'
  | 'not-found'
  | 'invalid-request'
  | 'context-overflow'
  | 'truncated'
  | 'content-filter'
  | 'aborted'

/** One config tried by a model call: a row of `attempts`. It never holds a key. */
export interface ModelAttempt {
  /** Index of the config in the config list. */
  readonly configId: number
  /** Model asked. */
  readonly model: string | null
  /** Why it failed; `rejected` when the answer came and `filterFunc` refused it. */
  readonly kind: ModelErrorKind | 'rejected'
  /** HTTP status, when there was one. */
  readonly status?: number | undefined
  /** What the failure said, secrets redacted. */
  readonly message: string
  /** How long it took, in milliseconds. */
  readonly ms: number
}

/** The fields of an `XError` beside its code and message. */
export interface ErrorInit {
  /** The error or value that led to this one. */
  readonly cause?: unknown
  /** Facts for programs: the offending value, the path, the candidates. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /** Kind of a failed model call. */
  readonly kind?: ModelErrorKind | undefined
  /** HTTP status of a failed model call. */
  readonly status?: number | undefined
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** One row per config tried. */
  readonly attempts?: readonly ModelAttempt[] | undefined
}
