import { createAgent, tool } from '@x/agent'
import { createHost, defineChat, type DefinedChat, type Host } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'

/** A chat that looks twice and says which messages to the run its model was sent; `looks` is called with each look. */
const twoLooks = (looks: (count: number) => Promise<void>): DefinedChat =>
  defineChat({
    name: 'looks',
    version: '1',
    async run({ run }) {
      let count = 0
      const model = functionModel(({ messages }) => {
        const told = messages.flatMap(({ role, content }) => (role === 'user' ? [content as string] : []))
        if (messages.filter(({ role }) => role === 'tool').length === 2) return told.join(', ')
        const call = { name: 'look', arguments: '{}' }
        return { content: null, tool_calls: [{ id: `c${messages.length}`, type: 'function', function: call }] }
      })
      const look = tool({
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object' },
        execute: async () => {
          await looks(++count)
          return 'seen'
        },
      })
      return (await createAgent({ name: 'helper', model }).run('Go', { run, tools: look })).text
    },
  }) as DefinedChat

/** Tests of messages to runs under way, from another process and across workers. */
export function steeringSuite(name: string, create: () => HostBackend): void {
  describe(`a message to a run on ${name}`, () => {
    it('reaches its worker, and the worker that takes over', { timeout: 60_000 }, async () => {
      const at = create()
      const [first, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const second = Promise.withResolvers<void>()
      const chat = twoLooks(async (count) => {
        if (count === 1) {
          first.resolve()
          await opened.promise
          return
        }
        second.resolve()
        await new Promise(() => {})
      })
      const other = twoLooks(async () => {})
      const hostOf = (...chats: DefinedChat[]): Host => createHost({ chats, at: { ...at, close() {} } })
      const host = hostOf(chat)
      const stop = new AbortController()
      const work = hostOf(chat).work({ signal: stop.signal, lease: 5 })
      await host.submit(chat, null as never, { id: 'a' })
      await first.promise
      await host.steer('a', 'one', { id: 'one' })
      await host.steer('a', 'one', { id: 'one' })
      opened.resolve()
      await second.promise
      await host.steer('a', 'two')
      stop.abort()
      await work
      const end = new AbortController()
      const next = hostOf(other).work({ signal: end.signal, lease: 5 })
      expect(await host.result('a')).toBe('Go, one, two')
      await expect(host.steer('a', 'late')).rejects.toThrow('it is done')
      end.abort()
      await next
      await at.close()
    })
  })
}
