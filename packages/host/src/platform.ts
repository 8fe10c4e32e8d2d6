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

/** Milliseconds that a program has behind `work` after `SIGTERM`. A tool that was stopped and does not heed that has them too, so they are few. */
const END_TIME_MS = 500

const endBySignal = (): void => void process.kill(process.pid, 'SIGTERM')

/** True if the process ends because of a `SIGTERM` for which nobody else listens. */
export const isProcessEnding = (): boolean => process.listeners('exit').includes(endBySignal)

/**
 * Calls a listener at `SIGTERM`, until it is disposed of. If the signal came and nobody else listens for it, the program then
 * comes to its end, within some time, and the process ends by the signal, as it would have done without the listener.
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
      if (!isTerminated || process.listenerCount('SIGTERM') > 0) return
      // Others hear `exit` before: records write what waits.
      process.on('exit', endBySignal)
      setTimeout(() => process.exit(), END_TIME_MS).unref()
    },
  }
}

/** Event of a process in which a promise has failed, and nobody hears it: without a listener, Node ends the process. */
const UNHEARD = 'unhandledRejection'

/** Milliseconds for which failures are still ignored when nobody wants that any more: what was stopped may fail a little later. */
const LATE_FAILURE_MS = 1000

/** Kinds of errors that are ignored, each with its own owner. */
const ignored = new Set<{ readonly isIgnored: (error: unknown) => boolean }>()

/**
 * Lets the process live on where a promise fails by an error of a kind, and nobody hears that, until it is disposed of. What
 * else fails unheard is treated as it would be without this.
 */
export function ignoreUnheard(isIgnored: (error: unknown) => boolean): Disposable {
  const owned = { isIgnored }
  ignored.add(owned)
  listen()
  const end = (): void => {
    ignored.delete(owned)
    listen()
  }
  return { [Symbol.dispose]: () => void setTimeout(end, LATE_FAILURE_MS).unref() }
}

/** Listens once, or not at all where nothing is ignored. */
function listen(): void {
  process.removeListener(UNHEARD, onUnheard)
  if (ignored.size > 0) process.on(UNHEARD, onUnheard)
}

function onUnheard(error: unknown): void {
  if ([...ignored].some(({ isIgnored }) => isIgnored(error)) || process.listenerCount(UNHEARD) > 1) return
  // Failing once more, without a listener, it meets what Node does by its options.
  process.removeListener(UNHEARD, onUnheard)
  void Promise.reject(error)
  setImmediate(listen)
}
