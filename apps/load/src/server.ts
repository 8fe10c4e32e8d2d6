import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Mode, Order, Report } from './server-process.ts'

/** The fake server, in another process. */
export interface LoadServer extends AsyncDisposable {
  /** The `baseUrl` of a client. */
  readonly url: string
  /** Sets how the server answers. */
  set(mode: Mode): Promise<void>
  /** Resolves when the server holds back the number of chats of the mode. */
  held(): Promise<void>
  /** Answers the chats that were held back. */
  release(): void
}

/** Starts the fake server in another process. */
export async function startLoadServer(): Promise<LoadServer> {
  const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const child = fork(new URL(`./server-process${ending}`, import.meta.url), { execArgv: process.execArgv })
  const send = (order: Order): void => void child.send(order)
  const [{ url }] = (await once(child, 'message')) as [Extract<Report, { url: string }>]
  let held = Promise.withResolvers<void>()
  child.on('message', (report: Report) => {
    if (report === 'held') held.resolve()
  })
  return {
    url,
    async set(mode) {
      held = Promise.withResolvers()
      send({ mode })
      await once(child, 'message')
    },
    held: () => held.promise,
    release: () => send('release'),
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}
