import type { ChatMessage, CodeExecutionConfig } from '@x/interfaces'
import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ag2Run, ConversableAgent, type ConversableAgentOptions } from './index.ts'
import { recordingIo } from './recording-io.fake.ts'

const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: 'NEVER', io: recordingIo(), ...options })

const call = (args: string): { id: string; function: { name: string; arguments: string } } => ({
  id: 'c1',
  function: { name: 'add', arguments: args },
})

/** An operation in its blocking and its asynchronous form. */
const faces = ['sync', 'async'] as const

describe.each(faces)('what differs from the Python library (%s)', (face) => {
  const reply = async (its: ConversableAgent, options: object): Promise<unknown> =>
    face === 'sync' ? its.generateReplySync(options) : await its.generateReply(options)

  it('a reply function at position 1 is asked before the termination check', async () => {
    const a = agent('a')
    a.registerReply(
      () => true,
      () => [true, 'mine'],
      { position: 1 },
    )
    expect(await reply(a, { messages: [{ content: 'TERMINATE' }], sender: agent('b') })).toBe('mine')
  })

  it.each(['', '  '])('arguments %j of a tool call are no arguments', async (text) => {
    const seen: unknown[] = []
    const a = agent('a', { functionMap: { add: (args: object) => void seen.push(args) } })
    const answer = await reply(a, { messages: [{ role: 'assistant', tool_calls: [call(text)] }] })
    expect(seen).toEqual([{}])
    expect((answer as ChatMessage).content).toBe('')
  })

  it('a tool that gives nothing answers with the empty text', async () => {
    const a = agent('a', { functionMap: { add: () => null } })
    const answer = (await reply(a, { messages: [{ tool_calls: [call('{}')] }], sender: agent('b') })) as ChatMessage
    expect(answer.tool_responses).toEqual([{ tool_call_id: 'c1', role: 'tool', content: '' }])
  })

  it.each(['auto', 0] as const)(
    '`lastNMessages: %j` behind a message of its own runs no code',
    async (lastNMessages) => {
      const ran: unknown[] = []
      const executor = {
        codeReader: { extractCode: () => [{ language: 'sh', code: 'ls' }] },
        executeCodeBlocks: (blocks: unknown) => (ran.push(blocks), { exitCode: 0, output: '' }),
      }
      const a = agent('a', { codeExecutionConfig: { executor, lastNMessages } as unknown as CodeExecutionConfig })
      const messages = [
        { role: 'user', content: 'ls' },
        { role: 'assistant', content: 'mine' },
      ]
      expect(await reply(a, { messages, sender: agent('b') })).toBe('')
      expect(ran).toEqual([])
    },
  )

  it('a reply in a conversation that has not begun has no messages, and does not begin it', async () => {
    const b = agent('b')
    const a = agent('a', { llmConfig: scriptedModel(['hello']) })
    expect(await reply(a, { sender: b })).toBe('hello')
    expect([a.lastMessage(), a.chatMessages.size]).toEqual([null, 0])
  })

  it('a message of parts is passed on to a nested chat', async () => {
    const content = [{ type: 'text' as const, text: 'look' }]
    const [a, helper] = [agent('a'), agent('helper', { defaultAutoReply: 'seen' })]
    a.registerNestedChats([{ recipient: helper, maxTurns: 1 }], () => true, { position: 0 })
    expect(await reply(a, { messages: [{ role: 'user', content }], sender: agent('b') })).toBe('seen')
    expect(helper.lastMessage(a)).toMatchObject({ content: 'seen' })
    expect(helper.chatMessages.get(a)![0]!.content).toEqual(content)
  })

  it('an error leaves no call without an answer', async () => {
    const b = agent('b', { llmConfig: scriptedModel([{ content: null, tool_calls: [call('{}')] }]) })
    const a = agent('a')
    a.registerReply(b, () => {
      throw new Error('broken')
    })
    const chat = async (): Promise<unknown> =>
      face === 'sync' ? a.initiateChatSync(b, { message: 'hi' }) : await a.initiateChat(b, { message: 'hi' })
    await expect(chat()).rejects.toThrow('broken')
    for (const last of [a.lastMessage(b), b.lastMessage(a)]) {
      expect(last).toMatchObject({ role: 'tool', content: expect.stringContaining('stopped before it answered') })
    }
  })

  it('a hook hears whether the message is silent as true or false', async () => {
    const heard: unknown[] = []
    const [a, quiet, b] = [agent('a'), agent('quiet', { silent: true }), agent('b')]
    for (const each of [a, quiet]) {
      each.registerHook('processMessageBeforeSend', ({ message, silent }) => (heard.push(silent), message))
      for (const silent of [undefined, null, false, true]) {
        if (face === 'sync') each.sendSync('hi', b, { silent })
        else await each.send('hi', b, { silent })
      }
    }
    expect(heard).toEqual([false, false, false, true, true, true, true, true])
  })
})

it('an unknown `msgTo` is refused', async () => {
  const options = { ...ag2Run, msgTo: 'nobody' as 'user', userInput: false }
  await expect(agent('a').run('hi', options)).rejects.toMatchObject({ code: 'invalid-argument' })
})

it('nested chats without `useAsync` are asynchronous in an asynchronous chat', async () => {
  const [user, boss, helper] = [agent('user'), agent('boss'), agent('helper')]
  helper.registerReply(boss, async () => [true, await Promise.resolve('later')])
  boss.registerNestedChats([{ recipient: helper, message: 'help', maxTurns: 1 }], user)
  const { summary } = await user.initiateChat(boss, { message: 'hi', maxTurns: 1 })
  expect(summary).toBe('later')
})
