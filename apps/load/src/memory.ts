import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { atOnce } from './at-once.ts'
import type { LoadServer } from './server.ts'
import type { Way } from './ways.ts'

/** Bytes of objects that are alive, and of buffers beside the heap. */
function weight(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Bytes per chat. */
export interface Weight {
  /** What a chat holds while it waits for its last answer, without its connection. */
  readonly open: number
  /** What is left of it when it has ended. */
  readonly left: number
}

/** Has so many chats at once, stops all of them before their last answer, and weighs them there and when they have ended. */
export async function weigh(way: Way, chats: number, server: LoadServer): Promise<Weight> {
  // A first lot opens the connections, which the second one finds.
  await server.set({ think: 0, hold: 0 })
  await atOnce(way, chats, { think: 0 })
  await server.set({ think: 0, hold: chats })
  const before = weight()
  const all = atOnce(way, chats, { think: 0 })
  await server.held()
  const during = weight()
  server.release()
  await all
  return { open: (during - before) / chats, left: (weight() - before) / chats }
}
