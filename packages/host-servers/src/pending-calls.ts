import type { OptionKinds } from '@x/kernel/options'

/** Seconds within which a call to a server is answered, or fails, unless an option says otherwise. */
export const DEFAULT_TIMEOUT_S = 10

/** Says before the error of a connection that it is made again. */
export const CONNECTION_WARNING = 'a connection of hosted chats goes on after an error'

/** Kind of the option `timeout`. Half of it is longer than any wait of a queue, which is a second. */
export const TIMEOUT_KIND: OptionKinds<{ readonly timeout: number }>['timeout'] = {
  expected: 'a number of seconds from 3 to 86,400',
  takes: (value) => typeof value === 'number' && value >= 3 && value <= 86_400,
}

/** Waits for an answer, and fails when there is none within some seconds. */
export async function answeredWithin<T>(seconds: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the server gave no answer within ${seconds} seconds`)), seconds * 1000)
  })
  try {
    return await Promise.race([answer, silence])
  } finally {
    clearTimeout(timer)
  }
}

/** Tracks the calls in flight on a connection, so that the connection can be closed after them. */
export class PendingCalls {
  readonly #calls = new Set<Promise<unknown>>()

  /** Makes a call and returns its result. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const running = call()
    this.#calls.add(running)
    try {
      return await running
    } finally {
      this.#calls.delete(running)
    }
  }

  /** Resolves when all calls have settled, also those that callers make at once after a result. */
  async settled(): Promise<void> {
    do {
      await Promise.allSettled(this.#calls)
      await new Promise(setImmediate)
    } while (this.#calls.size > 0)
  }
}
