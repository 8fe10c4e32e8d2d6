import { isXError, XError } from './x-error.ts'

/** The `aborted` error for a signal; its reason becomes the cause. */
export const abortError = (signal: AbortSignal): XError => stopError(signal.reason)

/** Throws `aborted` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal)
}

/** A promise of the same value that rejects with `aborted` as soon as the signal fires; it leaves no listener behind. */
export async function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  const onAbort = (): void => stopped.reject(abortError(signal!))
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort)
  try {
    return await Promise.race([stopped.promise, promise])
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The `aborted` error for what made something stop. */
export const stopError = (cause: unknown): XError =>
  isXError(cause) ? cause : new XError('aborted', 'stopped by the caller', { cause })

/** Tells a listener when a signal fires, at once if it has; gives what takes the listener off. */
export function onAbort(signal: AbortSignal | undefined, listener: (cause: unknown) => void): (() => void) | undefined {
  if (!signal) return undefined
  const hear = (): void => listener(signal.reason)
  if (signal.aborted) hear()
  signal.addEventListener('abort', hear)
  return () => signal.removeEventListener('abort', hear)
}
