/** Helpers for an `AbortSignal`. */
export { abortable, abortError, throwIfAborted } from './abortable.ts'
