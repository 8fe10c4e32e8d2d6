import type { ErrorCode, ErrorInit } from '@x/interfaces'

const ERROR_BRAND = Symbol.for('@x/error')

/** Any value, of which an `XError` has the brand. */
type MaybeBranded = { readonly [ERROR_BRAND]?: true } | null | undefined

/**
 * The one error class of the framework. `code` says what went wrong, `message` what was attempted, on what and what to
 * do next; model failures also say `kind`, `status`, `retryAfterMs` (milliseconds) and `attempts`.
 */
export class XError extends Error {
  declare readonly code: ErrorCode
  declare readonly details?: ErrorInit['details']
  declare readonly kind?: ErrorInit['kind']
  declare readonly status?: ErrorInit['status']
  declare readonly retryAfterMs?: ErrorInit['retryAfterMs']
  declare readonly attempts?: ErrorInit['attempts']

  constructor(code: ErrorCode, message: string, init: ErrorInit = {}) {
    super(message, init)
    this.code = code
    // The cause is there already, and stays hidden from what enumerates.
    Object.assign(this, init)
  }

  /** As other libraries name it: what tells an abort by the name alone finds it. */
  override get name(): string {
    return this.code === 'aborted' ? 'AbortError' : 'XError'
  }

  static {
    ;(this.prototype as { [ERROR_BRAND]?: true })[ERROR_BRAND] = true
  }
}

/** Tells an `XError`, of this or another installed copy of the package, from any other value; of one `code` if given. */
export function isXError(error: unknown, code?: ErrorCode): error is XError {
  return !!(error as MaybeBranded)?.[ERROR_BRAND] && (code ?? (error as XError).code) === (error as XError).code
}
