import type { ChatMessage, JournalEntry, Run } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { AssistantAgent, ChatJournal, fork, tool } from '../index.ts'
import { runRecorded } from '../steps.ts'

/** Turns of the chat: enough that a history that is kept whole would show. */
const TURNS = 12

/** Questions to the model, a text for each call. */
let asked: string[] = []
const textOf = (messages: readonly ChatMessage[]): string => JSON.stringify(messages.map(({ content }) => content))
const llmConfig = functionModel(({ messages }) => {
  asked.push(textOf(messages))
  const last = messages.at(-1)!
  if (last.role === 'tool') return `I was told ${textOf([last])}`
  if (textOf([last]).includes('pay')) return { tool_calls: [{ id: 'c', function: { name: 'pay', arguments: '{}' } }] }
  return `answer ${asked.length}`
})

type Program = (run: Run) => Promise<unknown>

/** Runs a program with the journal of an earlier run, and returns its value with the entries. */
async function go(
  program: Program,
  entries: readonly JournalEntry[] = [],
  trusted = true,
): Promise<[unknown, JournalEntry[]]> {
  const saved = { version: 3, kind: 'chat', entries: JSON.parse(JSON.stringify(entries)) as JournalEntry[] }
  const journal = ChatJournal.load(saved, { trusted })
  const value = await runRecorded((run) => program(run), { journal, runId: 'r' })
  return [value, [...journal.saveState().entries]]
}

const beginnings = (entries: readonly JournalEntry[]): readonly JournalEntry[] =>
  entries.filter(({ kind, place }) => kind === 'begin' && place !== '0')

/** A conversation that goes on from chat to chat. */
const shared =
  (turns: number, cut = false): Program =>
  async (run) => {
    const agent = new AssistantAgent({ name: 'a', llmConfig })
    const texts: string[] = []
    for (let turn = 0; turn < turns; turn++) {
      const { text } = await agent.run(`question ${turn}`, { run, conversation: 'shared' })
      texts.push(text)
      if (cut) agent.clearHistory(null, { nrMessagesToPreserve: 4 })
    }
    return texts
  }

/** A conversation whose messages the program keeps. */
const given =
  (turns: number, left = Infinity): Program =>
  async (run) => {
    let all: readonly ChatMessage[] = []
    for (let turn = 0; turn < turns; turn++) {
      const agent = new AssistantAgent({ name: 'a', llmConfig })
      const question = { role: 'user', content: `question ${turn}` } as const
      all = (await agent.run([...all.slice(-left), question], { run })).messages
    }
    return textOf(all)
  }

describe.each([
  { name: 'a shared conversation', make: shared },
  { name: 'a shared conversation that is cut', make: (turns: number) => shared(turns, true) },
  { name: 'a list of messages', make: given },
])('the journal of $name', ({ make }) => {
  it('grows by the same for each chat, and gives each chat the messages before it', async () => {
    asked = []
    const [value, entries] = await go(make(TURNS))
    const questions = asked
    const sizes = beginnings(entries).map((entry) => JSON.stringify(entry).length)
    expect(sizes).toHaveLength(TURNS)
    expect(sizes.at(-1)! - sizes.at(3)!).toBeLessThan(20)
    for (const trusted of [true, false]) {
      // From any place on, the model is asked the same questions as before.
      for (let kept = 1; kept <= entries.length; kept++) {
        asked = []
        const known = entries.slice(0, kept).filter(({ kind }) => kind === 'model').length
        asked.length = known
        const [again, all] = await go(make(TURNS), entries.slice(0, kept), trusted)
        expect(asked.slice(known)).toEqual(questions.slice(known))
        expect(again).toEqual(value)
        expect(all).toEqual(entries)
      }
    }
  })

  it('is that of a fork, too', async () => {
    asked = []
    const [value, entries] = await go(make(TURNS))
    const questions = asked
    const place = beginnings(entries)[5]!.place.split('.')[0]!
    asked = asked.slice(0, 5)
    const [again] = await go(make(TURNS), fork(entries, place, { runId: 'r' }))
    expect(asked).toEqual(questions)
    expect(again).toEqual(value)
  })
})

describe('a chat that begins with other messages than its journal has', () => {
  it.each([
    ['a shorter conversation', shared(3), async (run: Run) => await shared(1)(run).then(() => shared(2)(run))],
    ['a list of another length', given(3), given(3, 2)],
  ])('is refused: %s', async (_, before, now) => {
    const [, entries] = await go(before)
    await expect(go(now, entries)).rejects.toMatchObject({
      code: 'invalid-state',
      details: { saved: expect.anything() },
    })
  })
})

describe('a chat inside a tool', () => {
  it('leaves its messages to later chats outside, whose journal has them whole', async () => {
    asked = []
    const program: Program = async (run) => {
      const expert = new AssistantAgent({ name: 'expert', llmConfig })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        execute: async (_, { run: inner }) => (await expert.run('inside', { run: inner, conversation: 'shared' })).text,
      })
      await expert.run('before', { run, conversation: 'shared' })
      await clerk.run('pay', { run, tools: pay })
      return (await expert.run('after', { run, conversation: 'shared' })).messages.map(({ content }) => content)
    }
    const [value, entries] = await go(program)
    const calls = asked.length
    expect(value).toContain('inside')
    const known = beginnings(entries).at(-1)!.value as { conversations: { messages: unknown[] }[] }
    expect(known.conversations[0]!.messages).not.toEqual([])
    for (const kept of [entries.length, entries.length - 1]) {
      expect((await go(program, entries.slice(0, kept)))[1]).toHaveLength(entries.length)
    }
    expect(asked).toHaveLength(calls + 1)
    expect((await go(program, entries))[0]).toEqual(value)
  })
})
