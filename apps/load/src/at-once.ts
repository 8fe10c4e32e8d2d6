import { setTimeout } from 'node:timers/promises'
import { CALLS, thinking } from './script.ts'
import { isWhole, type Way } from './ways.ts'

/** The results of many chats at once. */
export interface Load {
  /** Chats that ended. */
  readonly chats: number
  /** Seconds of the clock for all of them. */
  readonly seconds: number
  /** Milliseconds of this thread's processor time per chat. */
  readonly cpu: number
  /** Per chat, the milliseconds that were not the model's. */
  readonly added: readonly number[]
}

/** The pace at which the chats of a load begin. */
export interface Coming {
  /** Milliseconds of thought per call, as the server was told. */
  readonly think: number
  /** Milliseconds over which their beginnings are spread; default 0: all in one burst. */
  readonly spread?: number | undefined
}

/** Has so many chats at once, by one way. Fails when a chat did not end as it should. */
export async function atOnce(way: Way, chats: number, { think, spread = 0 }: Coming): Promise<Load> {
  const cpu = process.threadCpuUsage()
  const start = performance.now()
  const added = await Promise.all(
    Array.from({ length: chats }, async (_, chat) => {
      if (spread > 0) await setTimeout((chat / chats) * spread)
      const begun = performance.now()
      const messages = await way(chat)
      if (!isWhole(messages)) throw new Error(`chat ${chat} ended otherwise: ${JSON.stringify(messages)}`)
      return performance.now() - begun - thought(chat, think)
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.threadCpuUsage(cpu)
  return { chats, seconds, cpu: (user + system) / 1000 / chats, added }
}

/** Milliseconds of thought in a whole chat. */
const thought = (chat: number, think: number): number =>
  Array.from({ length: CALLS }, (_, call) => thinking(chat, call, think)).reduce((sum, each) => sum + each, 0)
