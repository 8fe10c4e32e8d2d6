import { setTimeout } from 'node:timers/promises'
import { CALLS_PER_CHAT, thinking } from './script.ts'
import { isWhole, type Way } from './ways.ts'

/** Results of many chats at once. */
export interface Load {
  /** Number of chats. */
  readonly chats: number
  /** Wall-clock seconds of all chats together. */
  readonly seconds: number
  /** Processor time of this thread per chat, in milliseconds. */
  readonly cpu: number
  /** For each chat, the milliseconds beside those of the model. */
  readonly added: readonly number[]
}

/** Pace at which the chats of a load start. */
export interface LoadPace {
  /** Average milliseconds that the model takes for a call, as set on the server. */
  readonly think: number
  /** Milliseconds over which the starts are spread; default 0: all at once. */
  readonly spread?: number | undefined
}

/** Runs a number of chats at once. Fails when a chat does not end as expected. */
export async function atOnce(way: Way, chats: number, { think, spread = 0 }: LoadPace): Promise<Load> {
  const cpu = process.threadCpuUsage()
  const start = performance.now()
  const added = await Promise.all(
    Array.from({ length: chats }, async (_, chat) => {
      if (spread > 0) await setTimeout((chat / chats) * spread)
      const startedAt = performance.now()
      const messages = await way(chat)
      if (!isWhole(messages)) throw new Error(`chat ${chat} did not end as expected: ${JSON.stringify(messages)}`)
      return performance.now() - startedAt - modelTime(chat, think)
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.threadCpuUsage(cpu)
  return { chats, seconds, cpu: (user + system) / 1000 / chats, added }
}

/** Returns the milliseconds of the model in a whole chat. */
const modelTime = (chat: number, think: number): number =>
  Array.from({ length: CALLS_PER_CHAT }, (_, call) => thinking(chat, call, think)).reduce((sum, each) => sum + each, 0)
