import type { ChatMessage, ErrorCode, Io, Reply } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import {
  AssistantAgent,
  checkTerminationAndHumanReply,
  ConversableAgent,
  generateCodeExecutionReply,
  generateOaiReply,
  UpdateSystemMessage,
  UserProxyAgent,
} from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const agent = (
  name: string,
  options: Partial<ConstructorParameters<typeof ConversableAgent>[0]> = {},
): ConversableAgent => new ConversableAgent({ humanInputMode: 'NEVER', io: recordingIo(), ...options, name })

describe('bad input', () => {
  const a = agent('a')
  const b = agent('b')
  const withModel = agent('m', { llmConfig: scriptedModel(['hi']) })
  const nameless = { name: 'f', description: '', parameters: { type: 'object' as const }, execute: () => 1 }

  const cases: [what: string, code: ErrorCode, says: string, run: () => unknown][] = [
    [
      'a message with neither content nor a call',
      'invalid-message',
      '`content`',
      () => a.sendSync({ role: 'user' }, b),
    ],
    ['a message that is null', 'invalid-message', '`content`', () => a.sendSync({ content: null }, b)],
    ['a received message without content', 'invalid-message', '`content`', () => b.receiveSync({}, a)],
    [
      'a content with something that is no part',
      'invalid-message',
      'part 1 of its `content`',
      () => a.sendSync({ content: [{ type: 'text', text: 'x' }, null as never] }, b),
    ],
    ['nothing to reply to', 'invalid-argument', '`messages`', () => a.generateReplySync({})],
    [
      'an unknown summary method',
      'invalid-argument',
      'last_msg',
      () => a.initiateChatSync(b, { message: 'x', summaryMethod: 'x' as never }),
    ],
    [
      'an argument of a summary by a model that it would not read',
      'invalid-argument',
      'the option `summary_prompt` is unknown; did you mean `summaryPrompt`?',
      () =>
        a.initiateChatSync(b, {
          ...{ message: 'x', summaryMethod: 'reflection_with_llm' },
          summaryArgs: { summary_prompt: 'Sum up.' },
        }),
    ],
    [
      'the same of nested chats',
      'invalid-argument',
      'did you mean `summaryRole`?',
      () => {
        const carryoverConfig = { summaryMethod: 'reflection_with_llm', summaryArgs: { summary_role: 'user' } } as const
        a.registerNestedChats([{ recipient: b, message: 'x', carryoverConfig }], b)
      },
    ],
    [
      'nested chats that are no list',
      'invalid-argument',
      'cannot register nested chats: `queue` is an object; give a list of chats',
      () => a.registerNestedChats({ recipient: b, message: 'x' } as never, b),
    ],
    [
      'a summary by a model that nobody has',
      'invalid-argument',
      'llmConfig',
      () => a.initiateChatSync(b, { message: 'x', summaryMethod: 'reflection_with_llm' }),
    ],
    ['no recipient', 'invalid-argument', 'recipient', () => a.initiateChatSync(undefined as never, { message: 'x' })],
    [
      'a trigger that is a number',
      'invalid-argument',
      'trigger',
      () => a.registerReply(1 as never, () => [false, null]),
    ],
    [
      'a reply function without an outcome',
      'invalid-argument',
      '[final, reply]',
      () => {
        const c = agent('c')
        c.registerReply(() => true, (() => 'hello') as never)
        c.generateReplySync({ messages: [{ content: 'x' }] })
      },
    ],
    ...(['processMessageBeforeSend', 'processAllMessagesBeforeReply', 'processLastReceivedMessage'] as const).map(
      (name): (typeof cases)[number] => [
        `a ${name} hook that returns nothing`,
        'invalid-argument',
        `for \`${name}\` returned undefined`,
        () => {
          const c = agent('c', { defaultAutoReply: 'well' })
          c.registerHook(name, () => undefined)
          b.initiateChatSync(c, { message: 'x', maxTurns: 1 })
        },
      ],
    ),
    [
      'an unknown hook',
      'unknown-hook',
      'updateAgentState',
      () => a.registerHook('other' as 'updateAgentState', () => {}),
    ],
    [
      'a name with white space beside a model',
      'invalid-name',
      'white space',
      () => agent('two words', { llmConfig: scriptedModel([]) }),
    ],
    ['no name', 'invalid-name', '`name`', () => agent('')],
    ['a function name with a dot', 'invalid-name', '`a.b`', () => a.registerFunction({ 'a.b': () => 1 })],
    ['a tool without a description', 'invalid-argument', 'description', () => withModel.registerForLlm(nameless)],
    [
      'a tool for an agent without a model',
      'invalid-state',
      'llmConfig',
      () => a.registerForLlm(nameless, { description: 'x' }),
    ],
    ['a tool to remove that is not there', 'unknown-tool', '`f`', () => withModel.removeToolForLlm(nameless)],
    ['a mode that is none', 'invalid-argument', 'ALWAYS', () => agent('d', { humanInputMode: 'SOMETIMES' as never })],
    [
      'code execution with neither executor nor runner',
      'invalid-argument',
      '@x/exec',
      () => agent('d', { codeExecutionConfig: {} as never }),
    ],
    [
      'nested chats that are neither',
      'invalid-argument',
      'summary_from_nested_chats',
      () => a.registerNestedChats([], b, { replyFuncFromNestedChats: 'x' as never }),
    ],
    ['an unknown conversation', 'unknown-conversation', '`z`', () => a.lastMessage(agent('z'))],
  ]

  it('a reply or a first message that was left out is none, and ends the chat', async () => {
    const c = agent('c')
    c.registerReply(
      () => true,
      () => [true] as never,
    )
    const { chatHistory, terminationReason } = await b.initiateChat(c, { message: 'x', summaryMethod: null })
    expect([chatHistory.length, terminationReason]).toEqual([1, 'no-reply'])
    const silent = await b.initiateChat(c, { message: () => undefined as never, summaryMethod: null })
    expect([silent.chatHistory.length, silent.terminationReason]).toEqual([0, 'no-reply'])
  })

  it.each(cases)('%s is `%s`', (_, code, says, run) => {
    let error: unknown
    try {
      run()
    } catch (thrown) {
      error = thrown
    }
    expect(isXError(error, code), String(error)).toBe(true)
    expect(String(error)).toContain(says)
  })

  it('is refused before anything is sent when a queue has a cycle or an unknown prerequisite', async () => {
    const chat = { recipient: b, message: 'x', maxTurns: 1 }
    const cycle = [
      { ...chat, chatId: 1, prerequisites: [2] },
      { ...chat, chatId: 2, prerequisites: [1] },
    ]
    await expect(a.initiateChats(cycle)).rejects.toThrow('1 → 2 → 1')
    await expect(a.initiateChats([{ ...chat, chatId: 1, prerequisites: [7] }])).rejects.toThrow('waits for chat 7')
    expect(a.chatMessages.size).toBe(0)
  })

  it('is refused when a class overrides an operation', async () => {
    class Louder extends ConversableAgent {
      override async send(message: Reply, recipient: ConversableAgent): Promise<void> {
        await super.send(typeof message === 'string' ? `${message}!` : message, recipient)
      }
    }
    const louder = new Louder({ name: 'louder', humanInputMode: 'NEVER', io: recordingIo() })
    await expect(louder.initiateChat(b, { message: 'x' })).rejects.toThrow('`Louder` overrides `send`')
  })
})

describe('async reply functions in a blocking chat', () => {
  it('are refused by name, unless they are marked', () => {
    const later = async (): Promise<readonly [boolean, string]> => [true, 'later']
    const [a, b] = [agent('a'), agent('b')]
    b.registerReply(() => true, later)
    expect(() => a.initiateChatSync(b, { message: 'x' })).toThrow('later')
    const c = agent('c', { defaultAutoReply: 'now' })
    c.registerReply(() => true, later, { ignoreAsyncInSyncChat: true })
    expect(a.initiateChatSync(c, { message: 'x', maxTurns: 1 }).summary).toBe('now')
  })

  it('that turn out to give a promise are refused by name', () => {
    const b = agent('b')
    b.registerReply(
      () => true,
      function sly() {
        return Promise.resolve([true, 'x'] as const)
      },
    )
    expect(() => b.generateReplySync({ messages: [{ content: 'x' }] })).toThrow('`sly` gave a promise')
  })
})

describe('histories', () => {
  it('are frozen copies: neither the sender nor a hook changes them', async () => {
    const [a, b] = [agent('a'), agent('b', { defaultAutoReply: 'ok' })]
    const message: ChatMessage = { content: [{ type: 'text', text: 'before' }] }
    b.registerHook('processLastReceivedMessage', () => 'changed by a hook')
    await a.send(message, b, { requestReply: true })
    ;(message.content as { text: string }[])[0]!.text = 'after'
    const [stored] = b.chatMessages.get(a)!
    expect(stored).toEqual({ content: [{ type: 'text', text: 'before' }], role: 'user', name: 'a' })
    expect(() => ((stored!.content as { text: string }[])[0]!.text = 'x')).toThrow(TypeError)
  })

  it('given to a chat result are a snapshot', async () => {
    const [a, b] = [agent('a'), agent('b', { defaultAutoReply: 'ok' })]
    const first = await a.initiateChat(b, { message: 'one', maxTurns: 1 })
    await a.initiateChat(b, { message: 'two', maxTurns: 1, clearHistory: false })
    expect(first.chatHistory.map(({ content }) => content)).toEqual(['one', 'ok'])
  })
})

describe('reset', () => {
  it('lets go of counterparts, but for those with a maximum of their own', async () => {
    const [server, client, known] = [agent('server', { defaultAutoReply: 'well' }), agent('client'), agent('known')]
    server.updateMaxConsecutiveAutoReply(7, known)
    for (const each of [client, known]) await each.initiateChat(server, { message: 'hi', maxTurns: 1 })
    expect(server.replyAtReceive.size).toBe(2)
    server.reset()
    expect([...server.replyAtReceive.keys()]).toEqual([known])
    expect(server.maxConsecutiveAutoReply(known)).toBe(7)
    expect(server.chatMessages.size).toBe(0)
    expect((await client.initiateChat(server, { message: 'hi', maxTurns: 1 })).chatHistory).toHaveLength(2)
  })

  it('in a chat under way does not part the chat from its history', async () => {
    const [server, client] = [agent('server'), agent('client')]
    server.registerReply(client, () => {
      server.reset()
      return [true, 'as new']
    })
    await client.initiateChat(server, { message: 'hi', maxTurns: 2 })
    expect(server.chatMessages.get(client)?.map(({ content }) => content)).toEqual(['as new'])
  })
})

describe('the list of reply functions', () => {
  const mine = (): readonly [boolean, string] => [true, 'mine']
  const asked = (b: ConversableAgent): Reply | null => b.generateReplySync({ messages: [{ content: 'TERMINATE' }] })

  it.each([
    ['1', { position: 1 }, 'mine'],
    ['2', { position: 2 }, null],
    ['before the termination check', { position: { before: checkTerminationAndHumanReply } }, 'mine'],
    [
      'after the termination check',
      { position: { after: ConversableAgent.prototype.checkTerminationAndHumanReplySync } },
      null,
    ],
  ])('takes a function at position %s', (_, options, reply) => {
    const b = agent('b')
    b.registerReply(() => true, mine, options)
    expect(asked(b)).toBe(reply)
  })

  it('gives a built-in the config it was registered with', async () => {
    const codeReader = { extractCode: () => [{ language: 'sh', code: 'ls' }], inferLang: () => 'sh' }
    const runner = { codeReader, useDocker: false, runCode: (): [number, string, null] => [0, 'ran', null] }
    const its = agent('a')
    const messages = [{ role: 'user', content: 'x' } as const]
    its.registerReply(() => true, generateOaiReply, { config: scriptedModel(['of the model']).createModel() })
    expect(await its.generateReply({ messages })).toBe('of the model')
    its.registerReply(() => true, generateCodeExecutionReply, { config: { runner } })
    expect(its.generateReplySync({ messages })).toBe('exitcode: 0 (execution succeeded)\nCode output: \nran')
    its.registerReply(() => true, generateCodeExecutionReply, { config: false, removeOtherReplyFuncs: true })
    expect(its.generateReplySync({ messages })).toBe('')
  })

  it('replaces a built-in by its constant or either form', () => {
    for (const name of [checkTerminationAndHumanReply, ConversableAgent.prototype.checkTerminationAndHumanReply]) {
      const b = agent('b')
      b.replaceReplyFunc(name, mine)
      expect(asked(b)).toBe('mine')
    }
  })

  it('asks in a blocking chat what replaces an async function, and refuses an async one', () => {
    const [a, b] = [agent('a'), agent('b')]
    const late = async (): Promise<[boolean, string]> => [true, await Promise.resolve('late')]
    b.registerReply(a, late)
    b.replaceReplyFunc(late, mine)
    expect(a.initiateChatSync(b, { message: 'hi', maxTurns: 1 }).summary).toBe('mine')
    b.replaceReplyFunc(mine, late)
    expect(() => a.initiateChatSync(b, { message: 'hi', maxTurns: 1 })).toThrow('async reply functions (late)')
  })
})

describe('system messages', () => {
  it('are renewed from context variables before each reply', async () => {
    const model = scriptedModel(['ok'])
    const b = agent('b', {
      llmConfig: model,
      contextVariables: { user: 'Ann' },
      updateAgentStateBeforeReply: new UpdateSystemMessage('Help {user}, {{not}} {unknown}.'),
    })
    await b.generateReply({ messages: [{ role: 'user', content: 'x' }] })
    expect(model.calls[0]!.messages[0]).toEqual({ role: 'system', content: 'Help Ann, {not} {unknown}.' })
  })

  it('have null where a variable is null, of the chat before that of the agent', async () => {
    const model = scriptedModel(['ok'])
    const b = agent('b', {
      llmConfig: model,
      contextVariables: { user: 'Ann', order: null },
      updateAgentStateBeforeReply: new UpdateSystemMessage('{user} has {order}.'),
    })
    const contextVariables = { get: (name: string) => (name === 'user' ? null : undefined) }
    await b.hookLists.updateAgentState[0]!(b as never, [], { contextVariables } as never)
    expect(b.systemMessage).toBe('null has null.')
  })

  it('are made by a function of the variables of the chat', async () => {
    const update = new UpdateSystemMessage((_, messages, { contextVariables }) => {
      return `Message ${messages.length} in stage ${String(contextVariables?.get('stage'))}.`
    })
    const b = agent('b', { llmConfig: scriptedModel(['ok']), updateAgentStateBeforeReply: update })
    const contextVariables = { get: () => 'review' }
    await b.hookLists.updateAgentState[0]!(b as never, [], { contextVariables } as never)
    expect(b.systemMessage).toBe('Message 0 in stage review.')
  })

  it.each([
    ['nothing', undefined],
    ['a promise', Promise.resolve('later')],
  ])('are refused where a function gives %s', async (_, given) => {
    const update = new UpdateSystemMessage((() => given) as () => never)
    const b = agent('b', { llmConfig: scriptedModel(['ok']), updateAgentStateBeforeReply: update })
    const reply = b.generateReply({ messages: [{ role: 'user', content: 'x' }] })
    await expect(reply).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('give a text'),
    })
    expect(b.systemMessage).not.toBe('')
  })

  it('of an assistant and a user proxy have their defaults', () => {
    const [assistant, user] = [new AssistantAgent({ name: 'a' }), new UserProxyAgent({ name: 'u' })]
    expect([assistant.humanInputMode, user.humanInputMode]).toEqual(['NEVER', 'ALWAYS'])
    expect(assistant.description).toBe(AssistantAgent.DEFAULT_DESCRIPTION)
    expect(user.description).toBe(UserProxyAgent.DEFAULT_USER_PROXY_AGENT_DESCRIPTIONS.ALWAYS)
    expect(agent('c', { systemMessage: 'S' }).description).toBe('S')
  })
})

describe('a test that is async', () => {
  const [a, b] = [agent('a', { defaultAutoReply: 'hi' }), agent('b', { defaultAutoReply: 'hello' })]
  const refusal = { code: 'invalid-argument', message: expect.stringContaining('returned a promise') }
  const later = (async () => await Promise.reject(new Error('later'))) as () => never

  it('of the end of a chat is refused, and ends none', async () => {
    const ending = agent('c', { isTerminationMsg: later, defaultAutoReply: 'no' })
    await expect(a.initiateChat(ending, { message: 'hi', maxTurns: 2 })).rejects.toMatchObject(refusal)
  })

  it('of a sender is refused, and matches none', async () => {
    b.registerReply(later, () => [true, 'matched'])
    await expect(a.initiateChat(b, { message: 'hi', maxTurns: 2 })).rejects.toMatchObject(refusal)
  })
})

it('asks a human who answers later', async () => {
  const answer = Promise.withResolvers<string>()
  const io: Io = { send: () => {}, input: () => answer.promise }
  const a = agent('a', { humanInputMode: 'ALWAYS', io })
  const b = agent('b', { defaultAutoReply: 'hello' })
  const chat = a.initiateChat(b, { message: 'hi' })
  answer.resolve('exit')
  expect(await chat).toMatchObject({ humanInput: ['exit'], terminationReason: 'human-exit' })
})
