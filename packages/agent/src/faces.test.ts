import type { ChatOptions, ChatResult } from '@x/interfaces'
import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { AssistantAgent, ConversableAgent, tool, UserProxyAgent } from './index.ts'
import { stateOf } from './memory/state.ts'
import { comparable, recordingIo } from './recording-io.fake.ts'

type Start = (from: ConversableAgent, to: ConversableAgent, options: ChatOptions) => Promise<ChatResult>

const faces: Record<string, Start> = {
  sync: async (from, to, options) => from.initiateChatSync(to, options),
  async: async (from, to, options) => await from.initiateChat(to, options),
  stream: async (from, to, options) => {
    const { io } = stateOf(from)
    const stream = from.initiateChatStream(to, options)
    for (;;) {
      const item = await stream.next()
      if (item.done) return item.value
      await io.send(item.value)
    }
  },
}

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } }, required: ['x', 'y'] },
  execute: ({ x, y }) => Number(x) + Number(y),
})

const call = (id: string, args: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'add', arguments: args },
})

/** One chat with two tool calls at once, one of them wrong, and a human who steps in. */
async function scene(
  start: Start,
): Promise<{ result: ChatResult; events: ReturnType<typeof comparable>; asked: unknown }> {
  const io = recordingIo(['', 'go on', 'exit'])
  const model = scriptedModel([
    { content: null, tool_calls: [call('c1', '{"x": 2, "y": 3}'), call('c2', '{"x": 2}')] },
    'it is 5 TERMINATE',
    'as you like TERMINATE',
  ])
  const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model, io })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'TERMINATE',
    isTerminationMsg: ({ content }) => typeof content === 'string' && content.includes('TERMINATE'),
    maxConsecutiveAutoReply: 10,
    io,
  })
  assistant.registerForLlm(add)
  user.registerForExecution(add)
  const result = await start(user, assistant, { message: '2 + 3?' })
  return {
    result,
    events: comparable(io.events),
    asked: model.calls.map(({ messages, params }) => ({ messages, params })),
  }
}

describe('the three faces of one chat', () => {
  it('give the same transcript, the same events and the same questions', async () => {
    const seen = []
    for (const start of Object.values(faces)) seen.push(await scene(start))
    const [sync, async, stream] = seen
    expect(async!.result).toEqual(sync!.result)
    expect(stream!.result).toEqual(sync!.result)
    expect(stream!.events).toEqual(sync!.events)
    expect(async!.asked).toEqual(sync!.asked)
    expect(sync!.result).toMatchObject({
      summary: 'it is 5 ',
      terminationReason: 'termination-message',
      humanInput: [''],
    })
  })

  it.each(Object.entries(faces))(
    'runs 10,000 turns in the %s face, with and without a number of turns',
    async (_, start) => {
      const silent = { io: recordingIo(), humanInputMode: 'NEVER', silent: true } as const
      const pair = (maxConsecutiveAutoReply: number): [ConversableAgent, ConversableAgent] => [
        new ConversableAgent({ ...silent, name: 'a', defaultAutoReply: 'from a', maxConsecutiveAutoReply }),
        new ConversableAgent({ ...silent, name: 'b', defaultAutoReply: 'from b', maxConsecutiveAutoReply }),
      ]
      const counted = await start(...pair(1e6), { message: 'hi', maxTurns: 10_000 })
      expect([counted.chatHistory.length, counted.terminationReason]).toEqual([20_000, 'max-turns'])
      const open = await start(...pair(10_000), { message: 'hi' })
      expect([open.chatHistory.length, open.terminationReason]).toEqual([20_001, 'max-consecutive-auto-reply'])
    },
  )

  it('stops at an abort and writes nothing afterwards', async () => {
    const controller = new AbortController()
    const gate = Promise.withResolvers<string>()
    const io = recordingIo()
    const model = scriptedModel([{ delay: gate.promise, reply: 'too late' }])
    const a = new ConversableAgent({ name: 'a', humanInputMode: 'NEVER', io })
    const b = new ConversableAgent({ name: 'b', humanInputMode: 'NEVER', llmConfig: model, io })
    const chat = a.initiateChat(b, { message: 'hi', signal: controller.signal })
    await new Promise((resolve) => void setImmediate(resolve))
    controller.abort()
    await expect(chat).rejects.toMatchObject({ code: 'aborted' })
    gate.resolve('')
    await new Promise((resolve) => void setImmediate(resolve))
    expect(a.chatMessages.get(b)).toHaveLength(1)
    expect(b.chatMessages.get(a)).toHaveLength(1)
  })
})
