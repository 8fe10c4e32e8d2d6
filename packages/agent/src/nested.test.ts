import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from './index.ts'
import type { NestedChat } from './nested.steps.ts'
import { recordingIo } from './recording-io.fake.ts'

const io = recordingIo()
const said = ['first', 'second', 'transition', 'go'].map((content) => ({ role: 'user' as const, content }))

/** What the helper hears first when an agent with this nested chat answers. */
async function heard(chat: Partial<NestedChat>, face: 'sync' | 'async'): Promise<unknown> {
  const [outer, sender] = ['outer', 'sender'].map((name) => new ConversableAgent({ name, humanInputMode: 'NEVER', io }))
  const model = scriptedModel(['a summary', 'an answer'], { repeatLast: true })
  const helper = new ConversableAgent({ name: 'helper', humanInputMode: 'NEVER', io, llmConfig: model })
  outer!.registerNestedChats([{ recipient: helper, maxTurns: 1, ...chat }], () => true, { position: 0 })
  const wishes = { messages: said, sender: sender! }
  if (face === 'sync') outer!.generateReplySync(wishes)
  else await outer!.generateReply(wishes)
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

it('passes the last message on without a carryover', async () => {
  expect(await heard({}, 'sync')).toBe('go')
})
