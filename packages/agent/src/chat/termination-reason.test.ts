import type { ChatOptions, HumanInputMode, TerminationReason } from '@x/interfaces'
import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ConversableAgent, type ConversableAgentOptions } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

interface Case {
  readonly user?: Partial<ConversableAgentOptions>
  readonly other?: Partial<ConversableAgentOptions>
  readonly chat?: Omit<ChatOptions, 'emit' | 'signal'>
  /** What humans type. */
  readonly human?: readonly string[]
  readonly messages: number
}

const human = (humanInputMode: HumanInputMode): Partial<ConversableAgentOptions> => ({ humanInputMode })
const never = (): [boolean, null] => [true, null]

const cases: [what: string, reason: TerminationReason, its: Case][] = [
  ['the other receives a message that ends', 'termination-message', { chat: { message: 'TERMINATE' }, messages: 1 }],
  ['the initiator does', 'termination-message', { other: { defaultAutoReply: 'TERMINATE' }, messages: 2 }],
  [
    'its own predicate says so',
    'termination-message',
    {
      user: { isTerminationMsg: ({ content }) => content === 'enough' },
      other: { defaultAutoReply: 'enough' },
      messages: 2,
    },
  ],
  [
    'a human types nothing at a message that ends',
    'termination-message',
    { user: human('TERMINATE'), other: { defaultAutoReply: 'TERMINATE' }, human: [''], messages: 2 },
  ],
  ['the turns are used up', 'max-turns', { chat: { message: 'hi', maxTurns: 2 }, messages: 4 }],
  ['there are no turns', 'max-turns', { chat: { message: 'hi', maxTurns: 0, summaryMethod: null }, messages: 0 }],
  [
    'the other has replied as often as it may',
    'max-consecutive-auto-reply',
    { other: { maxConsecutiveAutoReply: 2 }, messages: 5 },
  ],
  ['the initiator has', 'max-consecutive-auto-reply', { user: { maxConsecutiveAutoReply: 1 }, messages: 4 }],
  ['nobody says a limit: the default is 100 replies', 'max-consecutive-auto-reply', { messages: 201 }],
  [
    'the human beside the initiator leaves',
    'human-exit',
    { user: human('ALWAYS'), human: ['go on', 'exit'], messages: 4 },
  ],
  ['the human beside the other leaves', 'human-exit', { other: human('ALWAYS'), human: ['exit'], messages: 1 }],
  [
    'a human leaves when the replies are used up',
    'human-exit',
    { other: { ...human('TERMINATE'), maxConsecutiveAutoReply: 1 }, human: ['exit'], messages: 3 },
  ],
  [
    'a human leaves in the last turn, before the limit of turns says so',
    'human-exit',
    { other: human('ALWAYS'), human: ['exit'], chat: { message: 'hi', maxTurns: 1 }, messages: 1 },
  ],
  ['the first message is none', 'no-reply', { chat: { message: () => null, summaryMethod: null }, messages: 0 }],
]

/** Two agents as the case says. */
function cast({ user, other, human: lines = [] }: Case): [ConversableAgent, ConversableAgent] {
  const base = { humanInputMode: 'NEVER', defaultAutoReply: 'go on', io: recordingIo(lines) } as const
  return [
    new ConversableAgent({ name: 'user', ...base, ...user }),
    new ConversableAgent({ name: 'other', ...base, ...other }),
  ]
}

const faces = {
  sync: async (its: Case) => {
    const [user, other] = cast(its)
    return user.initiateChatSync(other, { message: 'hi', ...its.chat })
  },
  async: async (its: Case) => {
    const [user, other] = cast(its)
    return await user.initiateChat(other, { message: 'hi', ...its.chat })
  },
}

describe.each(Object.entries(faces))('why a chat has ended (%s)', (_, face) => {
  it.each(cases)('%s: %s', async (_what, reason, its) => {
    const { terminationReason, chatHistory } = await face(its)
    expect({ terminationReason, messages: chatHistory.length }).toEqual({
      terminationReason: reason,
      messages: its.messages,
    })
  })
})

it.each(['user', 'other'] as const)('is `no-reply` when a reply function of the %s ends the chat', (who) => {
  const [user, other] = cast({ messages: 0 })
  const [speaker, listener] = who === 'user' ? [user, other] : [other, user]
  speaker.registerReply(listener, never)
  const { terminationReason, chatHistory } = user.initiateChatSync(other, { message: 'hi' })
  expect([terminationReason, chatHistory.length]).toEqual(['no-reply', who === 'user' ? 2 : 1])
})

it('is the reason of this chat, not of the one before', () => {
  const [user, other] = cast({ messages: 0 })
  expect(user.initiateChatSync(other, { message: 'TERMINATE' }).terminationReason).toBe('termination-message')
  expect(user.initiateChatSync(other, { message: 'hi', maxTurns: 1 }).terminationReason).toBe('max-turns')
})

it.each<[reason: TerminationReason, chat: object, options: Partial<ConversableAgentOptions>]>([
  ['max-turns', { maxTurns: 1 }, {}],
  ['termination-message', {}, { defaultAutoReply: 'TERMINATE' }],
  ['max-consecutive-auto-reply', {}, { maxConsecutiveAutoReply: 1 }],
])('of a nested chat is its own: %s', async (reason, chat, options) => {
  const [user, other] = cast({ messages: 0 })
  const helper = new ConversableAgent({
    name: 'helper',
    humanInputMode: 'NEVER',
    io: recordingIo(),
    llmConfig: scriptedModel(['helped'], { repeatLast: true }),
    ...options,
  })
  let inside: TerminationReason | undefined
  if (options.defaultAutoReply) helper.registerReply(other, () => [true, options.defaultAutoReply!], { position: 2 })
  other.registerNestedChats([{ recipient: helper, ...chat }], user, {
    replyFuncFromNestedChats: async (_, { messages }) => {
      const result = await other.initiateChat(helper, { message: messages.at(-1)!, ...chat })
      inside = result.terminationReason
      return [true, 'from inside']
    },
  })
  const outside = await user.initiateChat(other, { message: 'hi', maxTurns: 1 })
  expect(inside).toBe(reason)
  expect(outside.terminationReason).toBe('max-turns')
  expect(outside.summary).toBe('from inside')
})
