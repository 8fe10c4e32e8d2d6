import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { ConversableAgent, type ConversableAgentOptions } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

/** Two agents whose own reply functions answer before anything could end the chat: always, or so many times. */
function endlessPair(
  options: Partial<ConversableAgentOptions> = {},
  replies = Infinity,
): [ConversableAgent, ConversableAgent] {
  let asked = 0
  const [one, other] = ['one', 'other'].map((name) => {
    const own = name === 'other' ? options : {}
    const agent = new ConversableAgent({ name, humanInputMode: 'NEVER', io: recordingIo(), ...own })
    agent.registerReply(
      () => true,
      () => (asked++ < replies ? [true, 'again'] : [true, null]),
    )
    return agent
  })
  return [one!, other!]
}

const faces = {
  sync: async ([one, other]: [ConversableAgent, ConversableAgent], options: object) =>
    one.initiateChatSync(other, { message: 'hi', ...options }),
  async: async ([one, other]: [ConversableAgent, ConversableAgent], options: object) =>
    await one.initiateChat(other, { message: 'hi', ...options }),
  stream: async ([one, other]: [ConversableAgent, ConversableAgent], options: object) =>
    await one.initiateChatStream(other, { message: 'hi', ...options }).result,
}

it.each(Object.entries(faces))(
  'ends a chat that does not end, with an error that says what to set (%s)',
  async (_, chat) => {
    const pair = endlessPair()
    await expect(chat(pair, { maxMessages: 3, silent: true })).rejects.toMatchObject({
      code: 'too-many-messages',
      message: expect.stringMatching(/`one` with `other`.*3 messages.*`maxTurns`.*`maxMessages`/u),
      details: { maxMessages: 3 },
    })
    expect(pair[0].lastMessage(pair[1])).toMatchObject({ content: 'again' })
    expect([...pair[0].chatMessages.values()].map((messages) => messages.length)).toEqual([3])
  },
)

it('is 10,000 by default', async () => {
  const pair = endlessPair()
  await expect(faces.sync(pair, { silent: true })).rejects.toMatchObject({ details: { maxMessages: 10_000 } })
  expect(pair[0].chatMessages.get(pair[1])?.length).toBe(10_000)
})

it('lets a chat of exactly as many messages end by itself', () => {
  const model = functionModel(() => 'TERMINATE')
  const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', io: recordingIo() })
  const bot = new ConversableAgent({ name: 'bot', humanInputMode: 'NEVER', io: recordingIo(), llmConfig: model })
  const { terminationReason } = user.initiateChatSync(bot, { message: 'hi', maxMessages: 2 })
  expect(terminationReason).toBe('termination-message')
})

it.each<[what: string, options: Partial<ConversableAgentOptions>, chat: object, messages: number]>([
  ['`maxTurns`', {}, { maxTurns: 5 }, 10],
  ['`maxConsecutiveAutoReply`', { maxConsecutiveAutoReply: 100 }, {}, 11],
])('does not count where %s was given', (_, options, chat, messages) => {
  const pair = endlessPair(options, 10)
  const { chatHistory } = pair[0].initiateChatSync(pair[1], { message: 'hi', maxMessages: 3, silent: true, ...chat })
  expect(chatHistory.length).toBe(messages)
})

it('does not count where the maximum of auto replies was set later', () => {
  const pair = endlessPair({}, 10)
  pair[0].updateMaxConsecutiveAutoReply(100)
  const { chatHistory } = pair[0].initiateChatSync(pair[1], { message: 'hi', maxMessages: 3, silent: true })
  expect(chatHistory.length).toBe(11)
})
