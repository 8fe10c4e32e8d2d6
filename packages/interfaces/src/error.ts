/** The code of an error, from a closed list; `docs/errors.md` explains each. */
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
  | 'eval-failed'
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
  | 'run-differs'
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

/** Why a model call failed, independent of any SDK. It decides the failover. */
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

/** One attempt of a model call: a row of `attempts`. It never holds an API key. */
export interface ModelAttempt {
  /** Index of the config in the config list. */
  readonly configId: number
  /** Model of the config. */
  readonly model: string | null
  /** Why it failed; `rejected` if `filterFunc` refused the answer. */
  readonly kind: ModelErrorKind | 'rejected'
  /** HTTP status, if any. */
  readonly status?: number | undefined
  /** Message of the failure, with secrets redacted. */
  readonly message: string
  /** Duration in milliseconds. */
  readonly ms: number
}

/** The fields of an `XError` beside its code and message. */
export interface ErrorInit {
  /** The error or value that caused this error. */
  readonly cause?: unknown
  /** Facts for programs: the offending value, the path, the candidates. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /** Kind of a failed model call. */
  readonly kind?: ModelErrorKind | undefined
  /** HTTP status of a failed model call. */
  readonly status?: number | undefined
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfterMs?: number | undefined
  /** One row per config tried. */
  readonly attempts?: readonly ModelAttempt[] | undefined
}
