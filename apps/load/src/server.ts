import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Mode, Order, Report } from './server-process.ts'

/** The fake server, in a process of its own. */
export interface LoadServer extends AsyncDisposable {
  /** What to give as `baseUrl`. */
  readonly url: string
  /** Says how it answers from now on. */
  set(mode: Mode): Promise<void>
  /** Comes when it holds as many chats back as the mode says. */
  held(): Promise<void>
  /** Lets go of them. */
  release(): void
}

/** Starts the fake server in a process of its own. */
export async function startLoadServer(): Promise<LoadServer> {
  const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const child = fork(new URL(`./server-process${ending}`, import.meta.url), { execArgv: process.execArgv })
  const order = (what: Order): void => void child.send(what)
  const [{ url }] = (await once(child, 'message')) as [Extract<Report, { url: string }>]
  let held = Promise.withResolvers<void>()
  child.on('message', (report: Report) => {
    if (report === 'held') held.resolve()
  })
  return {
    url,
    async set(mode) {
      held = Promise.withResolvers()
      order({ mode })
      await once(child, 'message')
    },
    held: () => held.promise,
    release: () => order('release'),
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
