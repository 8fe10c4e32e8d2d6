import type { HostBackend, HostedChat } from '@x/interfaces'
import { afterEach, expect } from 'vitest'
import { createHost, type DefinedChat, type Host, sqlite } from './index.ts'

/** A host in a test of times. */
export interface ClockedHost {
  readonly host: Host
  /** Ends its worker. */
  readonly end: () => Promise<void>
}

/** A store whose clock a test sets. */
export function clockedStore(now: number = Date.UTC(2026, 0, 1)): { at: HostBackend; clock: { now: number } } {
  const clock = { now }
  return { at: sqlite(':memory:', { now: () => clock.now }), clock }
}

/** Returns what makes hosts with a worker on a store that stays open; the workers end with the test. */
export function hostsOfTests(): (at: HostBackend, ...chats: readonly DefinedChat[]) => ClockedHost {
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })
  return (at, ...chats) => {
    const host = createHost({ chats, at: { ...at, close() {} } })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal, lease: 1 })
    const end = async (): Promise<void> => {
      stop.abort()
      await work
    }
    ends.push(end)
    return { host, end }
  }
}

/** Waits until a chat is in a state. */
export async function inState(host: Host, state: HostedChat['state'], id = 'a'): Promise<HostedChat> {
  await expect.poll(async () => (await host.get(id))?.state, { interval: 2, timeout: 5000 }).toBe(state)
  return (await host.get(id))!
}
