import type { ChatOptions, JournalEntry, ToolContext } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ChatJournal, tool } from '../index.ts'
import { agent } from '../run/tool-chat.fake.ts'

/** A chat whose model asks for the same call three times, with the identifiers it is told to give. */
async function pays(options: ChatOptions, ids: readonly (string | undefined)[] = ['same', 'same', 'same']) {
  const calls: Pick<ToolContext, 'key' | 'callId'>[] = []
  const assistant = agent('assistant', {
    llmConfig: functionModel(({ messages }) => {
      const done = messages.filter(({ role }) => role === 'tool' || role === 'function').length
      if (done === ids.length) return 'TERMINATE'
      const id = ids[done]
      const call = { name: 'pay', arguments: '{}' }
      if (id === undefined) return { content: null, function_call: call }
      return { content: null, tool_calls: [{ id, type: 'function', function: call }] }
    }),
  })
  const user = agent('user')
  user.registerForExecution(
    tool({
      name: 'pay',
      description: 'Pays.',
      parameters: { type: 'object' },
      execute(_, { key, callId }) {
        calls.push({ key, callId })
        return 'paid'
      },
    }),
  )
  await user.initiateChat(assistant, { message: 'pay', maxTurns: ids.length + 1, ...options })
  return { calls, keys: calls.map(({ key }) => key) }
}

const load = (entries: readonly JournalEntry[]): ChatJournal =>
  ChatJournal.load(JSON.parse(JSON.stringify({ version: 3, kind: 'chat', entries })))

describe('the key of a call', () => {
  it.each([
    ['a model that repeats identifiers', ['same', 'same', 'same']],
    ['a model that gives none', [undefined, undefined, undefined]],
    ['both', ['same', undefined, 'same']],
  ] as const)('is another for every call: %s', async (_, ids) => {
    const one = await pays({}, ids)
    const other = await pays({}, ids)
    expect(one.keys).toHaveLength(3)
    expect(new Set([...one.keys, ...other.keys]).size).toBe(6)
    const places = ({ keys }: typeof one): string[] => keys.map((key) => key.slice(key.indexOf('/')))
    expect(places(one)).toEqual(places(other))
  })

  it('is another in every chat, though they share the answer of a cache', async () => {
    const answers = new Map<string, unknown>()
    const cache = {
      get: (key: string) => answers.get(key) as never,
      set: (key: string, value: unknown) => void answers.set(key, value),
    } as never
    const one = await pays({ cache, journal: new ChatJournal() }, ['same'])
    const other = await pays({ cache, journal: new ChatJournal() }, ['same'])
    expect(one.calls.map(({ callId }) => callId)).toEqual(other.calls.map(({ callId }) => callId))
    expect(one.keys).not.toEqual(other.keys)
  })

  it('is the same whenever the chat is resumed, from every entry', async () => {
    const journal = new ChatJournal()
    const { keys } = await pays({ journal })
    const { entries } = journal.saveState()
    const { runId } = journal
    for (const key of keys) expect(key.startsWith(`${runId}/`)).toBe(true)
    for (let length = 1; length <= entries.length; length++) {
      const resumed = load(entries.slice(0, length))
      const { keys: again } = await pays({ journal: resumed })
      expect(again).toEqual(keys.slice(keys.length - again.length))
      expect(resumed.runId).toBe(runId)
    }
  })

  it('begins with the `runId` that was given, which is kept and not to be changed', async () => {
    const journal = new ChatJournal()
    const { keys } = await pays({ journal, runId: 'order-17' })
    expect(keys.every((key) => key.startsWith('order-17/'))).toBe(true)
    const { entries } = journal.saveState()
    expect((await pays({ journal: load(entries.slice(0, 2)) })).keys).toEqual(keys)
    expect((await pays({ journal: load(entries.slice(0, 2)), runId: 'order-17' })).keys).toEqual(keys)
    await expect(pays({ journal: load(entries), runId: 'order-18' })).rejects.toMatchObject({
      code: 'invalid-state',
      details: { saved: { runId: 'order-17' }, given: { runId: 'order-18' } },
    })
  })

  it('needs a journal for a `runId`', async () => {
    await expect(pays({ runId: 'order-17' })).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('is of its place in a chat that a tool starts', async () => {
    const keys: string[] = []
    const chat = async (journal: ChatJournal): Promise<void> => {
      const user = agent('user')
      const assistant = agent('assistant', { defaultAutoReply: 'fine' })
      assistant.registerReply(
        () => true,
        async (_, { run }) => {
          keys.push(...(await pays({ run }, ['same', 'same'])).keys)
          return [true, 'paid twice']
        },
      )
      await user.initiateChat(assistant, { message: 'go', maxTurns: 2, journal })
    }
    const journal = new ChatJournal()
    await chat(journal)
    expect(new Set(keys).size).toBe(4)
    const first = [...keys]
    const { entries } = journal.saveState()
    for (let length = 1; length <= entries.length; length++) {
      keys.length = 0
      await chat(load(entries.slice(0, length)))
      for (const key of keys) expect(first).toContain(key)
    }
  })
})
