import { createHost } from '@x/host'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openBackend } from './backends.ts'
import { clerkChat } from './clerk.ts'

/** Times of a slow model and a slow tool. */
const SLOW_PACE = { model: 300, tool: 100 }
/** Number of chats at once in each worker. */
const CHATS_PER_WORKER = 25

let round = 0

/** Returns the chats per second of a number of workers with slow models. */
export async function rateOf(url: string, workers: number, seconds: number): Promise<number> {
  const at = openBackend(url)
  const host = createHost({ chats: [clerkChat(SLOW_PACE)], at })
  const prefix = `scaling-${round++}`
  // More than the workers can run in the time.
  const chats = workers * CHATS_PER_WORKER * Math.ceil(seconds + 3)
  const ids = Array.from({ length: chats }, (_, n) => `${prefix}-${n}`)
  for (let from = 0; from < chats; from += 50) {
    await Promise.all(ids.slice(from, from + 50).map((id) => host.submit(clerkChat(SLOW_PACE), { order: id }, { id })))
  }
  const children = Array.from({ length: workers }, () =>
    fork(
      fileURLToPath(new URL('worker.ts', import.meta.url)),
      [url, SLOW_PACE.model, SLOW_PACE.tool, CHATS_PER_WORKER].map(String),
      {
        execArgv: ['--conditions=@x/source'],
      },
    ),
  )
  const done = async (): Promise<number> => {
    const counts = await host.counts()
    return counts.reduce((sum, { state, count }) => (state === 'done' ? sum + count : sum), 0)
  }
  try {
    const first = await done()
    // Starts the measurement when each worker has ended its first chats.
    while ((await done()) < first + workers * CHATS_PER_WORKER) await pause(50)
    const [began, from] = [performance.now(), await done()]
    await pause(seconds * 1000)
    const [to, until] = [await done(), performance.now()]
    if (to - first >= chats) throw new Error('the workers had nothing left to do')
    return ((to - from) / (until - began)) * 1000
  } finally {
    for (const child of children) child.kill('SIGTERM')
    const ended = async (child: ChildProcess): Promise<void> => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    await Promise.all(children.map(ended))
    for await (const { id } of host.list({ state: 'waiting' })) await host.cancel(id)
    await host.close()
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
