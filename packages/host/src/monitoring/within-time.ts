import type { MaybePromise } from '@x/interfaces'

/** Waits for an answer for so many seconds; fails when there is none by then. */
export async function withinTime<T>(ask: () => MaybePromise<T>, seconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${seconds} seconds`)), seconds * 1000)
  })
  try {
    return await Promise.race([(async () => await ask())(), late])
  } finally {
    clearTimeout(timer)
  }
}
