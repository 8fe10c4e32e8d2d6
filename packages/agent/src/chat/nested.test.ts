import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../index.ts'
import type { NestedChat } from '../options/operations.ts'
import { recordingIo } from '../recording-io.fake.ts'

const io = recordingIo()
const said = ['first', 'second', 'transition', 'go'].map((content) => ({ role: 'user' as const, content }))

/** What the helper hears first when an agent with this nested chat answers. */
async function heard(chat: Partial<NestedChat>, face: 'sync' | 'async'): Promise<unknown> {
  const [outer, sender] = ['outer', 'sender'].map((name) => new ConversableAgent({ name, humanInputMode: 'NEVER', io }))
  const model = scriptedModel(['a summary', 'an answer'], { repeatLast: true })
  const helper = new ConversableAgent({ name: 'helper', humanInputMode: 'NEVER', io, llmConfig: model })
  outer!.registerNestedChats([{ recipient: helper, maxTurns: 1, ...chat }], () => true, { position: 0 })
  const request = { messages: said, sender: sender! }
  if (face === 'sync') outer!.generateReplySync(request)
  else await outer!.generateReply(request)
  return helper.chatMessages.get(outer!)?.[0]?.content
}

describe.each(['sync', 'async'] as const)('the carryover of the outer chat (%s)', (face) => {
  it.each<[string, Partial<NestedChat>, string]>([
    ['all', { carryoverConfig: { summaryMethod: 'all' } }, 'Context:\nfirst\nsecond'],
    ['last_msg', { message: 'hi', carryoverConfig: { summaryMethod: 'last_msg' } }, 'hi\nContext:\nsecond'],
    [
      'a model',
      { message: 'hi', carryoverConfig: { summaryMethod: 'reflection_with_llm' } },
      'hi\nContext:\na summary',
    ],
    [
      'a function',
      { message: () => 'made', carryoverConfig: { summaryMethod: (_, { length }) => `${length} messages` } },
      'made\nContext:\n2 messages',
    ],
  ])('by %s', async (_, chat, text) => {
    expect(await heard(chat, face)).toBe(text)
  })
})

it('has no reply where its own function leaves it out, and is refused where that gives no outcome', () => {
  const outcomeOf = (outcome: unknown) => {
    const [outer, helper] = ['outer', 'helper'].map(
      (name) => new ConversableAgent({ name, humanInputMode: 'NEVER', io }),
    )
    const replyFuncFromNestedChats = (() => outcome) as never
    outer!.registerNestedChats([{ recipient: helper! }], () => true, { position: 0, replyFuncFromNestedChats })
    return outer!.generateReplySync({ messages: said })
  }
  expect(outcomeOf([true])).toBeNull()
  expect(() => outcomeOf(undefined)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
})

it('passes the last message on without a carryover', async () => {
  expect(await heard({}, 'sync')).toBe('go')
})

it('at position 6 leaves calls to the tools of the agent', async () => {
  const names = ['asking', 'helper'] as const
  const [asking, helper] = names.map((name) => new ConversableAgent({ name, humanInputMode: 'NEVER', io }))
  const calls = [{ id: 'c1', function: { name: 'look', arguments: '{}' } }]
  const model = scriptedModel([{ content: null, tool_calls: calls }, 'seen'])
  const asked = new ConversableAgent({ name: 'asked', humanInputMode: 'NEVER', io, llmConfig: model })
  helper!.registerReply(asking!, () => [true, 'better'])
  asking!.registerFunction({ look: () => 'rain' })
  asking!.registerNestedChats([{ recipient: helper!, maxTurns: 1 }], asked, { position: 6 })
  await asking!.initiateChat(asked, { message: 'look', maxTurns: 2 })
  expect(asking!.chatMessages.get(asked)!.map(({ content }) => content)).toEqual(['look', null, 'rain', 'seen'])
  expect(await asking!.generateReply({ sender: asked })).toBe('better')
})

it('refuses chats that start themselves again, in every face', async () => {
  const io = { send: () => {}, input: (): string => 'exit' }
  const agent = (name: string): ConversableAgent =>
    new ConversableAgent({ name, io, humanInputMode: 'NEVER', defaultAutoReply: 'well' })
  for (const late of [false, true]) {
    const [asking, asked] = [agent('asking'), agent('asked')]
    const message = (): string | Promise<string> => (late ? Promise.resolve('again') : 'again')
    asking.registerNestedChats([{ recipient: asked, maxTurns: 2, message }], () => true, { position: 2 })
    const refused = { code: 'invalid-state', message: expect.stringContaining('starts itself again') as string }
    const options = { message: 'hi', maxTurns: 1 }
    await expect(agent('user').initiateChat(asking, options)).rejects.toMatchObject(refused)
    if (!late) expect(() => agent('user').initiateChatSync(asking, options)).toThrow(expect.objectContaining(refused))
  }
})
