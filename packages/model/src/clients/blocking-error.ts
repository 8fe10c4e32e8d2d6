import type { ErrorCode, ErrorInit } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'

/** An error as plain data, to send between threads. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** Code of an `XError`. */
  readonly code?: ErrorCode
  readonly facts?: Pick<ErrorInit, 'kind' | 'status' | 'retryAfterMs' | 'details'>
  readonly cause?: PlainError | undefined
}

/** Turns an error into plain data. */
export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined }
  const { name, message, stack, cause } = error
  const inner = cause instanceof Error ? plainError(cause) : undefined
  if (!isXError(error)) return { name, message, stack, cause: inner }
  const { code, kind, status, retryAfterMs, details } = error
  return { name, message, stack, code, facts: { kind, status, retryAfterMs, details }, cause: inner }
}

/** Makes an error from plain data, with the stack of the other thread. */
export function restoreError({ name, message, stack, code, facts, cause }: PlainError): Error {
  const init = cause ? { cause: restoreError(cause) } : {}
  const error = code ? new XError(code, message, { ...facts, ...init }) : new Error(message, init)
  if (!code) Object.defineProperty(error, 'name', { value: name })
  if (stack) Object.defineProperty(error, 'stack', { value: stack })
  return error
}
