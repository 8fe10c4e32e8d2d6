import type { ChatMessage, ContentPart, XEvent } from '@x/interfaces'
import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { AssistantAgent, ConversableAgent, UserProxyAgent, type ConversableAgentOptions } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

type Replies = Parameters<typeof scriptedModel>[0]

/** A user proxy and an assistant with this script, each as it comes, but for options. */
function defaultPair(
  replies: Replies,
  { user = {}, assistant = {} }: Record<string, Partial<ConversableAgentOptions>> = {},
): { user: UserProxyAgent; assistant: AssistantAgent; model: ReturnType<typeof scriptedModel> } {
  const model = scriptedModel(replies, { repeatLast: true })
  const common = { humanInputMode: 'NEVER', io: recordingIo() } as const
  return {
    model,
    user: new UserProxyAgent({ name: 'user', ...common, ...user }),
    assistant: new AssistantAgent({ name: 'assistant', ...common, llmConfig: model, ...assistant }),
  }
}

describe('a message that ends with TERMINATE', () => {
  it.each<[what: string, reply: string | ChatMessage]>([
    ['a text', 'It is Paris. TERMINATE'],
    ['a text with white space behind it', 'It is Paris.\n\nTERMINATE\n'],
    [
      'a list of parts',
      {
        content: [
          { type: 'text', text: 'It is Paris. ' },
          { type: 'text', text: 'TERMINATE' },
        ],
      },
    ],
  ])('ends a chat of a user proxy with an assistant: %s', async (_, reply) => {
    const { user, assistant, model } = defaultPair([])
    assistant.registerReply(user, () => [true, reply])
    const { terminationReason, chatHistory } = await user.initiateChat(assistant, { message: 'France?' })
    expect([terminationReason, chatHistory.length]).toEqual(['termination-message', 2])
    expect(model.calls).toEqual([])
  })

  it('is not all that an agent of no user waits for where an image stands beside it', async () => {
    const [a, b] = ['a', 'b'].map(
      (name) => new ConversableAgent({ name, humanInputMode: 'NEVER', defaultAutoReply: 'ok', io: recordingIo() }),
    ) as [ConversableAgent, ConversableAgent]
    const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } } as const
    const endsAt = (...content: ContentPart[]): Promise<unknown> =>
      b.checkTerminationAndHumanReply({ messages: [{ content }], sender: a })
    const word = { type: 'text', text: 'TERMINATE' } as const
    expect([await endsAt(word), await endsAt(word, image)]).toEqual([
      [true, null],
      [false, null],
    ])
  })

  it.each<[what: string, options: Parameters<typeof defaultPair>[1]]>([
    ['the system message does not ask for it', { assistant: { systemMessage: 'Say TERMINATE.' } }],
    ['the user proxy has a check of its own', { user: { isTerminationMsg: () => false } }],
  ])('does not end it where %s', async (_, options) => {
    const { user, assistant, model } = defaultPair(['It is Paris. TERMINATE'], options)
    await user.initiateChat(assistant, { message: 'France?', maxTurns: 2 })
    expect(model.calls).toHaveLength(2)
  })

  it('asks the human first, and says that an empty line ends the chat', async () => {
    const io = recordingIo([''])
    const { user, assistant } = defaultPair(['Done. TERMINATE'], { user: { humanInputMode: 'ALWAYS', io } })
    const { terminationReason } = await user.initiateChat(assistant, { message: 'hi' })
    expect([terminationReason, io.prompts]).toEqual([
      'termination-message',
      [expect.stringContaining('an empty line ends the chat')],
    ])
  })

  it('follows the system message of the moment', async () => {
    const { user, assistant, model } = defaultPair(['Done. TERMINATE'], { assistant: { systemMessage: 'Be brief.' } })
    assistant.updateSystemMessage(AssistantAgent.DEFAULT_SYSTEM_MESSAGE)
    await user.initiateChat(assistant, { message: 'hi', maxTurns: 2 })
    expect(model.calls).toHaveLength(1)
  })

  it('ends no chat where the word stands in the middle, or the agent is not a user proxy', async () => {
    const middle = defaultPair(['I will say TERMINATE later.'])
    await middle.user.initiateChat(middle.assistant, { message: 'hi', maxTurns: 2 })
    expect(middle.model.calls).toHaveLength(2)
    const { assistant, model } = defaultPair(['Done. TERMINATE'])
    const other = new ConversableAgent({ name: 'other', humanInputMode: 'NEVER', io: recordingIo() })
    await other.initiateChat(assistant, { message: 'hi', maxTurns: 2 })
    expect(model.calls).toHaveLength(2)
  })
})

describe('empty replies', () => {
  const warnings = async (options: Partial<ConversableAgentOptions>, maxTurns: number): Promise<string[]> => {
    const { user, assistant } = defaultPair(['I am here.'], { user: options })
    const seen: XEvent[] = []
    await user.initiateChat(assistant, { message: 'hi', maxTurns, emit: (event) => void seen.push(event) })
    return seen.flatMap((event) => (event.type === 'warning' ? [`${event.agent} ${event.topic}: ${event.text}`] : []))
  }

  it('are warned of at the second in a row, and not again', async () => {
    expect(await warnings({}, 2)).toEqual([])
    const thrice = await warnings({}, 5)
    expect(thrice).toEqual([expect.stringMatching(/^user empty-auto-reply: `user`.*`assistant`.*`isTerminationMsg`/u)])
  })

  it('are not warned of where the agent has something to say', async () => {
    expect(await warnings({ defaultAutoReply: 'go on' }, 5)).toEqual([])
  })
})

describe('the summary by `last_msg`', () => {
  const add = { id: 'c', function: { name: 'add', arguments: '{}' } }

  it.each<[what: string, replies: Replies, summary: string]>([
    ['the last message with content', ['the answer', ''], 'the answer'],
    ['what came before a call', ['the answer', { content: null, tool_calls: [add] }], 'the answer'],
    ['not the question, where nothing was said', [''], ''],
    ['a bare TERMINATE, which is no summary', ['the answer', 'TERMINATE'], ''],
  ])('is %s', async (_, replies, summary) => {
    const { user, assistant } = defaultPair(replies)
    const chat = await user.initiateChat(assistant, { message: 'hi', maxTurns: 2 })
    expect(chat.summary).toBe(summary)
  })

  it('is not empty after a default pair has talked until the maximum', async () => {
    const { user, assistant } = defaultPair(['I am fake.'], { user: { maxConsecutiveAutoReply: 2 } })
    const { summary, terminationReason } = await user.initiateChat(assistant, { message: 'hi' })
    expect([summary, terminationReason]).toEqual(['I am fake.', 'max-consecutive-auto-reply'])
  })
})
