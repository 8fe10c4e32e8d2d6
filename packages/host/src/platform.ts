import type { MaybePromise } from '@x/interfaces'

/** Returns the time in milliseconds since 1970; the default of every `now` option. */
export const platformNow = (): number => Date.now()

/** Returns the milliseconds of a monotonic clock. */
export const platformTicks = (): number => performance.now()

/** Returns a random number from 0 to 1. */
export const platformRandom = (): number => Math.random()

/** Sends a request of HTTP. */
export const platformFetch = async (url: string, init: RequestInit): Promise<Response> => await fetch(url, init)

/** Returns a random identifier. */
export const newId = (): string => crypto.randomUUID()

/** Returns a digest of a text: 27 letters, digits, `_` and `-`. */
export const digestOf = (text: string): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64url').slice(0, 27)

/** Returns the signature of a text by HMAC with SHA-256, in Base64; so is the secret. */
export const signatureOf = (secret: string, text: string): string =>
  process
    .getBuiltinModule('node:crypto')
    .createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(text)
    .digest('base64')

/** Waits for an answer, and fails when there is none within some seconds. */
export async function withTimeout<T>(ask: () => MaybePromise<T>, seconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${seconds} seconds`)), seconds * 1000)
  })
  try {
    return await Promise.race([(async () => await ask())(), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Calls a listener at `SIGTERM`, until it is disposed of. If the signal came and nobody else listens for it, the process then
 * ends by the signal, as it would have done without the listener.
 */
export function onSigterm(listener: () => void): Disposable {
  let isTerminated = false
  const onSignal = (): void => {
    isTerminated = true
    listener()
  }
  process.on('SIGTERM', onSignal)
  return {
    [Symbol.dispose]() {
      process.removeListener('SIGTERM', onSignal)
      if (isTerminated && process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM')
    },
  }
}
