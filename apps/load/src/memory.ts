import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { LoadServer } from './server.ts'
import type { Way } from './ways.ts'

/**
 * Opens so many chats at once, stops all of them before their last answer, and gives the bytes that each holds: objects
 * that are alive, and buffers beside the heap.
 */
export async function weigh(way: Way, chats: number, server: LoadServer): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const weight = (): number => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  await server.set({ think: 0, hold: chats })
  const before = weight()
  const all = Promise.all(Array.from({ length: chats }, (_, chat) => way(chat)))
  await server.held()
  const during = weight()
  server.release()
  await all
  return (during - before) / chats
}
