import type { Run, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { AssistantAgent, ChatJournal, fork, tool } from '../index.ts'
import { runRecorded } from '../steps.ts'

let asked: string[] = []
const model = functionModel(({ messages }) => {
  const { content, role } = messages.at(-1) as { content: string; role: string }
  asked.push(content)
  if (role === 'tool') return `the tool said ${content}`
  if (content.includes('pay')) return { tool_calls: [{ id: 'c', function: { name: 'pay', arguments: '{}' } }] }
  return `answer to ${content}`
})
const pay = tool({ name: 'pay', description: 'Pays.', needsApproval: true, execute: (_, { key }) => key })

/** Two chats, one after the other, and then two at once. */
async function program(run: Run, second = 'then pay'): Promise<unknown[]> {
  const ask = async (text: string, name = 'clerk'): Promise<unknown> => {
    const clerk = new AssistantAgent({ name, llmConfig: model })
    return (await clerk.run(text, { tools: pay, run })).text
  }
  const first = await ask('one')
  const paid = await ask(second)
  return [first, paid, ...(await Promise.all([ask('three', 'left'), ask('four', 'right')]))]
}

describe('a function that runs with a journal', () => {
  it('goes on behind all of its chats, and fails with `suspended` while one waits', async () => {
    asked = []
    let journal = new ChatJournal()
    const run = async (): Promise<unknown> =>
      await runRecorded((each) => program(each), { journal, runId: 'order-17', version: '1' })
    await expect(run()).rejects.toMatchObject({ code: 'suspended' })
    expect(asked).toEqual(['one', 'then pay'])
    expect(journal.runId).toBe('order-17')
    journal = ChatJournal.load(journal.saveState())
    await expect(run()).rejects.toMatchObject({ code: 'suspended' })
    expect(journal.pending).toHaveLength(1)
    await journal.decide(journal.pending[0]!.id, { allow: true })
    const result = await run()
    const paid: unknown = expect.stringMatching(/^the tool said order-17\/2\./u)
    expect(result).toEqual(['answer to one', paid, 'answer to three', 'answer to four'])
    const calls = asked.length
    journal = ChatJournal.load(journal.saveState())
    expect(await run()).toEqual(result)
    expect(asked).toHaveLength(calls)
  })

  it('fails with `suspended` also when the function makes something of that', async () => {
    const journal = new ChatJournal()
    const swallowed = runRecorded(async (run) => await program(run).catch(() => 'fine'), { journal, runId: 'a' })
    await expect(swallowed).rejects.toMatchObject({ code: 'suspended' })
  })

  it('tells its events, refuses another version, another program and misspelt options, and is stopped', async () => {
    const journal = new ChatJournal()
    const events: XEvent[] = []
    const emit = (event: XEvent): void => void events.push(event)
    await runRecorded((run) => program(run, 'two'), { journal, runId: 'a', version: '1', emit, streams: true })
    expect(new Set(events.map(({ chatId }) => chatId))).toEqual(new Set(['1', '2', '3', '4']))
    expect(events.some(({ type }) => type === 'textDelta')).toBe(true)
    const again = async (options: object, second = 'two'): Promise<unknown> =>
      await runRecorded((run) => program(run, second), { journal, runId: 'a', ...options })
    await expect(again({ version: '2' })).rejects.toMatchObject({ code: 'invalid-state' })
    await expect(again({ runId: 'b' })).rejects.toMatchObject({ code: 'invalid-state' })
    await expect(again({}, 'something else')).rejects.toMatchObject({ code: 'invalid-state' })
    await expect(again({ runID: 'b' })).rejects.toMatchObject({ code: 'invalid-argument' })
    await expect(again({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
  })

  it('numbers its events from a given number', async () => {
    const numbers: number[] = []
    const emit = ({ seq }: XEvent): void => void numbers.push(seq)
    await runRecorded((run) => program(run, 'two'), { journal: new ChatJournal(), runId: 'a', firstSeq: 7, emit })
    expect(numbers).toEqual(numbers.map((_, index) => index + 7))
    expect(numbers.length).toBeGreaterThan(4)
  })

  describe('that holds two chats at once', () => {
    /** Two chats at once; a hook of the first notes what it sends. */
    async function both(run: Run, sent: unknown[]): Promise<unknown[]> {
      return await Promise.all(
        ['left', 'right'].map(async (name) => {
          const agent = new AssistantAgent({ name, llmConfig: model })
          const hear = (message: unknown): never => {
            if (name === 'left') sent.push((message as { content?: string }).content ?? message)
            return message as never
          }
          agent.registerHook('processMessageBeforeSend', ({ message }) => hear(message))
          return (await agent.run(`for ${name}`, { run })).text
        }),
      )
    }

    /** The journal of a process that ended before a call of the first chat was answered, and after all of the second. */
    async function overtaken(): Promise<ChatJournal> {
      const [whole, left] = [new ChatJournal(), new ChatJournal()]
      await runRecorded((run) => both(run, []), { journal: whole, runId: 'a' })
      for (const { seq: _, checksum: __, ended: ___, ...entry } of whole.saveState().entries) {
        if (entry.place === '1.0' || !entry.place.startsWith('1.')) await left.keep(entry)
      }
      return ChatJournal.load(left.saveState())
    }

    it('goes on with the one that the other has overtaken: its hooks run, and its events are sent', async () => {
      const journal = await overtaken()
      asked = []
      const [events, sent]: [XEvent[], unknown[]] = [[], []]
      const emit = (event: XEvent): void => void events.push(event)
      const result = await runRecorded((run) => both(run, sent), { journal, runId: 'a', emit })
      expect(result).toEqual(['answer to for left', 'answer to for right'])
      expect(asked).toEqual(['for left'])
      expect(sent).toEqual(['answer to for left'])
      const ofLeft = events.filter(({ chatId }) => chatId === '1').map(({ type }) => type)
      expect(ofLeft).toEqual([
        ...['chatStart', 'receivedMessage', 'replyStart', 'modelCallStart'],
        ...ofLeft.filter((type) => type.startsWith('modelAttempt')),
        ...['modelCallEnd', 'replyEnd', 'receivedMessage', 'replyStart', 'replyEnd', 'chatEnd'],
      ])
    })

    it('has ended before a place of a fork only as far as the fork has it', async () => {
      const journal = new ChatJournal()
      await runRecorded(
        async (run) => {
          await both(run, [])
          const agent = new AssistantAgent({ name: 'last', llmConfig: model })
          await agent.run('the end', { run })
        },
        { journal, runId: 'a' },
      )
      await journal.keep({ place: '0', kind: 'wait', name: 'turn 1', value: { places: ['4'] } })
      const { entries } = journal.saveState()
      const forked = (place: string): unknown => fork(entries, place).flatMap(({ ended = [] }) => ended)
      expect(entries.flatMap(({ ended = [] }) => ended)).toEqual(['1', '2', '3'])
      expect(forked('3.1')).toEqual(['1', '2'])
      expect(forked('2')).toEqual([])
      expect(fork(entries, '5').map(({ kind }) => kind)).not.toContain('wait')
      const from = (place: string): ChatJournal =>
        ChatJournal.load({ ...journal.saveState(), entries: fork(entries, place) })
      expect([from('3.1').hasEnded('2'), from('2').hasEnded('2')]).toEqual([true, false])
      await journal.keep({ place: '0', kind: 'wait', name: 'turn 2', value: { places: '4' } })
      expect(() => ChatJournal.load(journal.saveState())).toThrow('is broken at `places`')
    })

    it('knows the end of a chat by what was kept behind it, if an earlier version has kept it', async () => {
      const [whole, old] = [new ChatJournal(), new ChatJournal()]
      const events: XEvent[] = []
      const emit = (event: XEvent): void => void events.push(event)
      const run = async (journal: ChatJournal): Promise<unknown> =>
        await runRecorded((each) => program(each, 'two'), { journal, runId: 'a', emit })
      await run(whole)
      for (const { seq: _, checksum: __, ended: ___, ...entry } of whole.saveState().entries) {
        await old.keep(entry.kind === 'begin' && entry.place === '0' ? { ...entry, value: { runId: 'a' } } : entry)
      }
      events.length = 0
      await run(ChatJournal.load(old.saveState()))
      expect(events.map(({ chatId }) => chatId)).not.toContain('1')
      expect(events.map(({ chatId }) => chatId)).not.toContain('2')
    })

    it('sends nothing of a chat that has ended again', async () => {
      let journal = new ChatJournal()
      const events: XEvent[] = []
      const emit = (event: XEvent): void => void events.push(event)
      const run = async (last: string): Promise<unknown> =>
        await runRecorded(
          async (each) => {
            const answers = await both(each, [])
            const agent = new AssistantAgent({ name: 'last', llmConfig: model })
            return [...answers, (await agent.run(last, { run: each })).text]
          },
          { journal, runId: 'a', emit },
        )
      await run('the end')
      const ended = journal.saveState().entries.flatMap(({ ended: places = [] }) => places)
      expect(ended.toSorted()).toEqual(['1', '2'])
      events.length = 0
      journal = ChatJournal.load(journal.saveState())
      await run('the end')
      expect(new Set(events.map(({ chatId }) => chatId))).toEqual(new Set(['3']))
    })
  })
})
