import { createHost } from '@x/host'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openBackend } from './backends.ts'
import { clerkChat } from './clerk.ts'

/** Milliseconds of a slow model and of a slow tool. */
const SLOW = { model: 300, tool: 100 }
/** Chats at once in each worker. */
const AT_ONCE = 25

let round = 0

/** Chats each second of some workers whose models are slow, between the first tenth of the ends and the last. */
export async function rateOf(url: string, workers: number, seconds: number): Promise<number> {
  const at = openBackend(url)
  const host = createHost({ chats: [clerkChat(SLOW)], at })
  const prefix = `scaling-${round++}`
  // More than the workers can do in the time.
  const chats = workers * AT_ONCE * Math.ceil(seconds + 3)
  const ids = Array.from({ length: chats }, (_, n) => `${prefix}-${n}`)
  for (let from = 0; from < chats; from += 50) {
    await Promise.all(ids.slice(from, from + 50).map((id) => host.submit(clerkChat(SLOW), { order: id }, { id })))
  }
  const children = Array.from({ length: workers }, () =>
    fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [url, SLOW.model, SLOW.tool, AT_ONCE].map(String), {
      execArgv: ['--conditions=@x/source'],
    }),
  )
  const done = async (): Promise<number> => {
    const counts = await host.counts()
    return counts.reduce((sum, { state, count }) => (state === 'done' ? sum + count : sum), 0)
  }
  try {
    const first = await done()
    // All workers work when each has ended its first chats.
    while ((await done()) < first + workers * AT_ONCE) await pause(50)
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
