import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { atOnce } from './at-once.ts'
import type { LoadServer } from './server.ts'
import type { Way } from './ways.ts'

/** Returns the bytes of live objects and of buffers outside the heap. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Bytes per chat. */
export interface Weight {
  /** Bytes of a chat that waits for its last answer, without its connection. */
  readonly open: number
  /** Bytes that are left after its end. */
  readonly left: number
}

/** Runs a number of chats at once, holds all of them before their last answer, and measures memory there and after their end. */
export async function weigh(way: Way, chats: number, server: LoadServer): Promise<Weight> {
  // A first round opens the connections, which the second round uses.
  await server.set({ think: 0, hold: 0 })
  await atOnce(way, chats, { think: 0 })
  await server.set({ think: 0, hold: chats })
  const before = liveBytes()
  const all = atOnce(way, chats, { think: 0 })
  await server.held()
  const during = liveBytes()
  server.release()
  await all
  return { open: (during - before) / chats, left: (liveBytes() - before) / chats }
}
