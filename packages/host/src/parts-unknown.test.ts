import { AssistantAgent, tool } from '@x/agent'
import type { HostBackend } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { failCalls } from '@x/testing/hosting'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHost, defineChat, sqlite, type DefinedChat, type Host } from './index.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** A backend whose first call with a name for a part fails; `failed` counts the failures. */
function failingOnce(name: string): { readonly at: HostBackend; readonly failed: () => number } {
  let failed = 0
  const fails = (call: string, given: readonly unknown[]): 'before' | undefined => {
    if (failed > 0 || call !== name || !JSON.stringify(given).includes('/part-')) return undefined
    failed++
    return 'before'
  }
  return { at: failCalls(sqlite(':memory:'), fails), failed: () => failed }
}

/** All parts wait for this promise. */
let gate: Promise<unknown>
beforeEach(() => (gate = new Promise(setImmediate)))

const part = defineChat({
  ...{ name: 'part', version: '1', concurrency: 2, keeps: 'value' },
  async run() {
    await gate
    return 'found'
  },
})

/** Programs that catch the failure of a part and take it for an answer. */
const PARENTS: Readonly<Record<string, DefinedChat<Record<string, unknown>>>> = {
  'a program': defineChat({
    ...{ name: 'parent', version: '1' },
    run: async ({ perform }) => await perform(part, {}).catch(() => 'nothing'),
  }),
  'a tool of an agent': defineChat({
    ...{ name: 'parent', version: '1' },
    async run({ perform, run }) {
      const look = tool({
        ...{ name: 'look', description: 'Looks.', parameters: { type: 'object' } },
        execute: async () => (await perform(part, {}).catch(() => 'nothing')) as string,
      })
      const call = { id: 'c', function: { name: 'look', arguments: '{}' } }
      const llmConfig = functionModel(({ messages }) => {
        const last = messages.at(-1) as unknown as { role: string; content: string }
        return last.role === 'tool' ? last.content : { tool_calls: [call] }
      })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
      return (await clerk.run('Look.', { tools: look, run })).text
    },
  }),
}

/** A host that works; `end` stops it and closes everything. */
function startWorking(parent: DefinedChat, at: HostBackend) {
  const host = createHost({ chats: [parent, part], at })
  stops.push(() => host.close())
  const errors: unknown[] = []
  const work = (): (() => Promise<void>) => {
    const stop = new AbortController()
    const ended = host.work({ signal: stop.signal, lease: 1, onError: (error) => void errors.push(error) })
    const end = async (): Promise<void> => {
      stop.abort()
      await ended
    }
    stops.push(end)
    return end
  }
  return { host, errors, work }
}

async function running(host: Host): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of host.list({ state: 'running' })) ids.push(id)
  return ids
}

describe.each(Object.entries(PARENTS))('%s that catches the failures of its parts', (_, parent) => {
  it.each(['store.submit', 'store.get', 'queue.add'])('never meets a failure of `%s`', async (call) => {
    const { at, failed } = failingOnce(call)
    const { host, errors, work } = startWorking(parent, at)
    await host.submit(parent, {}, { id: 'a' })
    work()
    expect([await host.result('a'), failed()]).toEqual(['found', 1])
    expect(errors).toMatchObject([{ message: expect.stringContaining('the server went down') as string }])
  })

  it('never meets the end of its worker', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const { host, errors, work } = startWorking(parent, sqlite(':memory:'))
    await host.submit(parent, {}, { id: 'a' })
    const end = work()
    await expect.poll(async () => (await running(host)).length).toBe(2)
    await end()
    resolve()
    work()
    expect([await host.result('a'), errors]).toEqual(['found', []])
  })
})
