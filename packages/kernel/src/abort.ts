/** Helpers for an `AbortSignal`. */
export { abortable, abortError, throwIfAborted } from './abort-signal.ts'
