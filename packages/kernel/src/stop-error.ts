import { XError, isXError } from './x-error.ts'

/** The `aborted` error for what made something stop. */
export const stopError = (cause: unknown): XError =>
  isXError(cause) ? cause : new XError('aborted', 'stopped by the caller', { cause })
