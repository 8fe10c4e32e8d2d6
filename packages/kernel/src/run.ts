import type { EventBody } from '@x/interfaces'
import { showCaller } from './caller.ts'
import { drive, type DriveOptions } from './driver.ts'
import type { Steps } from './steps.ts'

type AnyEvent = { readonly type: string }

/**
 * Runs steps on this stack and gives their result; a promise on the way is refused with `async-in-sync`. Events go to
 * `emit`, or into `run`, where nobody waits for them.
 */
export function runSync<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(
  steps: Steps<T, E>,
  options: Omit<DriveOptions<L>, 'signal'> = {},
): T {
  let outcome: [failed: boolean, value: unknown]
  drive('sync', steps, options, (...ended) => (outcome = ended)).start()
  const [failed, value] = outcome!
  if (failed) throw showCaller(value, new Error())
  return value as T
}

/**
 * Runs steps and gives a promise of their result. Events go to `emit`, or into `run`, and are waited for; an abort of
 * `signal` or of `run` closes the steps and rejects with `aborted`.
 */
export async function runAsync<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(
  steps: Steps<T, E>,
  options: DriveOptions<L> = {},
): Promise<T> {
  try {
    return await new Promise<T>((resolve, reject) =>
      drive('async', steps, options, (failed, value) => (failed ? reject(value) : resolve(value as T))).start(),
    )
  } catch (error) {
    throw showCaller(error, new Error())
  }
}
