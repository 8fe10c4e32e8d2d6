import type { ErrorCode, ErrorInit, ModelAttempt, ModelErrorKind } from '@x/interfaces'

const BRAND = Symbol.for('@x/error')

/**
 * The one error class of the framework. `code` says what went wrong, `message` what was attempted, on what and what to
 * do next; model failures also say `kind`, `status`, `retryAfterMs` (milliseconds) and `attempts`.
 */
export class XError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly kind: ModelErrorKind | undefined
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  readonly attempts: readonly ModelAttempt[] | undefined

  constructor(code: ErrorCode, message: string, init: ErrorInit = {}) {
    super(message, 'cause' in init ? { cause: init.cause } : undefined)
    this.code = code
    this.details = init.details
    this.kind = init.kind
    this.status = init.status
    this.retryAfterMs = init.retryAfterMs
    this.attempts = init.attempts
  }

  static {
    Object.defineProperty(this.prototype, 'name', { value: 'XError' })
    Object.defineProperty(this.prototype, BRAND, { value: true })
  }
}

/** Tells an `XError`, of this or another installed copy of the package, from any other value; of one `code` if given. */
export function isXError(error: unknown, code?: ErrorCode): error is XError {
  return (
    typeof error === 'object' &&
    error !== null &&
    BRAND in error &&
    (code === undefined || (error as unknown as XError).code === code)
  )
}
