/** Helpers for an `AbortSignal`. */
export { abortable, abortError, throwIfAborted } from './run-part.ts'
