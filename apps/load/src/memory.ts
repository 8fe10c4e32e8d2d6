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

/** Has so many chats at once, and gives the bytes that each holds while all of them wait for their last answer. */
export async function heldOpen(way: Way, chats: number, server: LoadServer): Promise<number> {
  await server.set({ think: 0, hold: chats })
  const before = weight()
  const all = Promise.all(Array.from({ length: chats }, (_, chat) => way(chat)))
  await server.held()
  const during = weight()
  server.release()
  await all
  return (during - before) / chats
}

/** Bytes that are left of each chat when it has ended: those of a second lot, because connections of the first wait on. */
export async function leftBehind(way: Way, chats: number, server: LoadServer): Promise<number> {
  await server.set({ think: 0, hold: 0 })
  await atOnce(way, chats, { think: 0 })
  const before = weight()
  await atOnce(way, chats, { think: 0 })
  return (weight() - before) / chats
}
