import type { Listener, XEvent } from '@x/interfaces'
import { drive } from './driver.ts'
import type { Steps } from './steps.ts'

type Event = { readonly type: string }

/** Runs steps on this stack and gives their result; a promise on the way is refused with `async-in-sync`. */
export function runSync<T, E extends Event = XEvent>(
  steps: Steps<T, E>,
  options: { emit?: Listener<E> | undefined } = {},
): T {
  let outcome: [failed: boolean, value: unknown]
  drive('sync', steps, options, (...ended) => (outcome = ended)).start()
  const [failed, value] = outcome!
  if (failed) throw value
  return value as T
}

/**
 * Runs steps and gives a promise of their result. Events go to `emit`, which is awaited; an abort of `signal` closes the
 * steps and rejects with `aborted`.
 */
export function runAsync<T, E extends Event = XEvent>(
  steps: Steps<T, E>,
  options: { signal?: AbortSignal | undefined; emit?: Listener<E> | undefined } = {},
): Promise<T> {
  return new Promise<T>((resolve, reject) =>
    drive('async', steps, options, (failed, value) => (failed ? reject(value) : resolve(value as T))).start(),
  )
}
