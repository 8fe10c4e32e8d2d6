import { stopError } from './stop-error.ts'
import type { XError } from './x-error.ts'

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
