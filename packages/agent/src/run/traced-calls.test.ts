import type { CallInput, Io, JournalEntry, RunTracer } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AssistantAgent, ChatJournal, ConversableAgent, initiateChats, tool } from '../index.ts'

/** A tracer that keeps what the calls of its runs ask and are answered. */
function tracing() {
  const begun: object[] = []
  const asked: [place: string, kind: string, input: CallInput][] = []
  const kept: JournalEntry[] = []
  const failed: string[] = []
  const tracer: RunTracer = {
    begin: () => ({
      takes: new Set(),
      propagates: false,
      take: () => {},
      contextOf: () => undefined,
      calls: {
        begin: (run) => void begun.push(run),
        takeInput: ({ place, kind }, input) => void asked.push([place, kind, structuredClone(input)]),
        takeEntry: (entry) => void kept.push(structuredClone(entry)),
        fail: (reason) => void failed.push(reason),
      },
    }),
  }
  return { tracer, begun, asked, kept, failed }
}

const price = (needsApproval = false) =>
  tool({
    name: 'price',
    description: 'The price of an item.',
    parameters: z.object({ item: z.string() }),
    needsApproval,
    execute: () => '3',
  })

const seller = () =>
  functionModel(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? `It costs ${messages.at(-1)!.content as string}`
      : {
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'price', arguments: '{"item":"tea"}' } }],
        },
  )

const clerk = (options: object = {}): AssistantAgent =>
  new AssistantAgent({ name: 'clerk', systemMessage: 'You sell tea.', llmConfig: seller(), silent: true, ...options })

/** The entries of a journal as they were before they were sealed. */
const contentOf = (journal: ChatJournal): object[] =>
  journal.saveState().entries.map((entry) => {
    const { seq: _, checksum: __, ...content } = entry
    return content
  })

describe('a trace that takes calls', () => {
  it('is told what each call asks, and the entries that a journal of the run has', async () => {
    const { tracer, asked, kept, failed } = tracing()
    const journal = new ChatJournal()
    await clerk().run('How much is tea?', { tools: price(), tracer, journal })
    expect(asked.map(([place, kind]) => `${place} ${kind}`)).toEqual(['1.1 model', '1.2.0.0 tool', '1.3 model'])
    const [question, call] = asked.map(([, , input]) => input)
    expect(question).toMatchObject({
      messages: [{ content: 'You sell tea.' }, { content: 'How much is tea?' }],
      settings: [{ model: 'scripted', tools: [{ function: { name: 'price' } }] }],
    })
    expect(call).toEqual({ arguments: { item: 'tea' } })
    const entries = contentOf(journal)
    expect(kept).toEqual(entries)
    expect(failed).toEqual([])
  })

  it('is told the same without a journal, and the run does not change', async () => {
    const [one, other] = [tracing(), tracing()]
    const plain = await clerk().run('How much is tea?', { tools: price(), tracer: one.tracer })
    const journaled = await clerk().run('How much is tea?', {
      tools: price(),
      tracer: other.tracer,
      journal: new ChatJournal(),
    })
    expect(plain).toEqual(journaled)
    expect(one.asked).toEqual(other.asked)
    expect(one.kept.slice(1)).toEqual(other.kept.slice(1))
  })

  it('lets a person decide at once, where a journal would let the chat wait', async () => {
    const { tracer, asked, begun } = tracing()
    const io: Io = { send: () => {}, input: () => 'yes' }
    const user = new ConversableAgent({ name: 'user', io, humanInputMode: 'NEVER' })
    user.registerForExecution(price(true))
    const result = await user.initiateChat(clerk(), { message: 'How much is tea?', maxTurns: 2, tracer })
    expect(result.summary).toBe('It costs 3')
    expect(begun).toEqual([{ runId: expect.any(String), waits: false, resumed: false }])
    expect(asked.find(([, kind]) => kind === 'human')?.[2]).toMatchObject({ prompt: expect.stringContaining('Allow?') })
  })

  it('lets a run wait that nobody watches', async () => {
    const { tracer, asked, kept } = tracing()
    const result = await clerk().run('How much is tea?', { tools: price(true), tracer })
    expect(result.terminationReason).toBe('suspended')
    expect(result.journal).toBeInstanceOf(ChatJournal)
    expect(kept.at(-1)?.kind).toBe('question')
    expect(asked.at(-1)).toMatchObject([kept.at(-1)!.place, 'decision', { action: { name: 'price' } }])
  })

  it('is told why a run cannot be repeated, which goes on all the same', async () => {
    const { tracer, failed } = tracing()
    const answers = (name: string, reply: unknown): ConversableAgent => {
      const agent = new ConversableAgent({ name, humanInputMode: 'NEVER', silent: true })
      agent.registerReply(
        () => true,
        () => [true, { content: 'done', context: { connection: reply } }],
      )
      return agent
    }
    const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })
    const twice = [1, 2].map((chatId) => ({
      chatId,
      sender: chatId === 1 ? user : new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', silent: true }),
      recipient: answers(`helper${chatId}`, 1),
      message: 'a',
      maxTurns: 1,
    }))
    expect((await initiateChats(twice, { tracer })).size).toBe(2)
    expect(failed).toEqual([expect.stringContaining('two agents are named `user`')])
    await user.initiateChat(answers('helper', new Map()), { message: 'a', maxTurns: 1, tracer })
    expect(failed[1]).toMatch(/cannot be kept: `1\.context\.connection` is a Map/u)
  })

  it('gives every chat of a queue its own place', async () => {
    const { tracer, kept } = tracing()
    const journal = new ChatJournal()
    const queue = () => {
      const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })
      return [1, 2].map((chatId) => ({
        chatId,
        sender: user,
        recipient: clerk({ name: `clerk${chatId}` }),
        message: 'hi',
        maxTurns: 1,
      }))
    }
    await initiateChats(queue(), { tracer })
    await initiateChats(queue(), { journal })
    const entries = contentOf(journal)
    expect(kept.slice(1)).toEqual(entries.slice(1))
  })
})
