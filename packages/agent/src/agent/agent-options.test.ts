import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import {
  AssistantAgent,
  ConversableAgent,
  initiateChats,
  UserProxyAgent,
  type ConversableAgentOptions,
} from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const make = (options: unknown): ConversableAgent => new ConversableAgent(options as ConversableAgentOptions)

describe('the options of an agent', () => {
  it.each([ConversableAgent, AssistantAgent, UserProxyAgent])('are one object, not a name: %o', (Agent) => {
    expect(() => new Agent('assistant' as never)).toThrow(
      "cannot create an agent: its options are 'assistant'; give an object, such as { name: 'assistant' }",
    )
    expect(() => new Agent(undefined as never)).toThrow('cannot create an agent: its options are null')
  })

  it.each([
    [
      { sytemMessage: 'x' },
      'cannot create the agent `a`: the option `sytemMessage` is unknown; did you mean `systemMessage`?',
    ],
    [{ llm_config: false }, 'did you mean `llmConfig`?'],
    [
      { tools: [] },
      'the option `tools` is unknown; give them to the agent, as in `new AssistantAgent({ … }).use(tools)`',
    ],
    [{ instructions: 'x' }, 'the option `instructions` is unknown; write `systemMessage`'],
    [{ model: 'gpt-5' }, "write `llmConfig: llmConfig(openai('gpt-5'))`"],
    [
      { llm_config: { config_list: [{ model: 'gpt-5', api_key: 'x' }] } },
      "write `llmConfig: llmConfig(openai('gpt-5', { apiKey }))`",
    ],
    [{ human_input_mode: 'NEVER' }, 'did you mean `humanInputMode`?'],
    [{ llmConfig: { config_list: [{ model: 'claude-x' }] } }, "llmConfig(anthropic('claude-x'))`"],
    [{ history: 4000 }, 'write `history: fit(limitTokens(4000))`, with `fit` and `limitTokens` of `@x/history`'],
    [{ colour: 0 }, 'the option `colour` is unknown; it takes `name`, `systemMessage`'],
    [{ temperature: 0 }, "write `llmConfig: llmConfig(openai('gpt-5-mini', { temperature: … }))`"],
    [{ fallbacks: [] }, "`llmConfig: llmConfig([openai('gpt-5'), openai('gpt-5-mini')])`"],
    [{ maxSteps: 3 }, '`agent.run(question, { maxTurns: 5 })`'],
    [{ systemPrompt: 'x' }, 'write `systemMessage`, which is its name here'],
    [{ role: 'x' }, 'write it into `systemMessage`'],
    [{ humanInputMode: 'never' }, "`humanInputMode` is 'never'; give 'ALWAYS' or 'NEVER' or 'TERMINATE'"],
    [{ codeExecutionConfig: { workDir: 'x', useDocker: false } }, "`codeExecutionConfig({ workDir: '…' })`"],
    [{ codeExecutionConfig: { runner: {}, lastNMesages: 1 } }, 'did you mean `lastNMessages`?'],
    [{ io: () => {} }, '`io` is a function; give an `io` with `send` and `input`'],
  ])('are refused at once: %o', (options, text) => {
    expect(() => make({ name: 'a', ...options })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
    )
  })

  it.each([
    ['gpt-5', "llmConfig(openai('gpt-5'))"],
    ['claude-sonnet-4-5', "llmConfig(anthropic('claude-sonnet-4-5'))"],
    [{ model: 'gemini-3-pro' }, '`google` of `@x/provider-google`'],
    [
      { configList: [{ model: 'gpt-5-mini', apiKey: 'sk-0123456789abcdef' }] },
      "llmConfig(openai('gpt-5-mini', { apiKey }))",
    ],
    [
      { configList: [{ model: 'gpt-5' }, { model: 'claude-x' }] },
      "llmConfig([openai('gpt-5'), anthropic('claude-x')])",
    ],
    ['sk-0123456789abcdef', "llmConfig(openai('…'))"],
    [{}, "llmConfig(openai('gpt-5-mini'))"],
    [() => 1, '`llmConfig` is a function; give a value of `llmConfig({ providers, configList })`'],
  ])('say what to write in place of the `llmConfig` %o', (llmConfig, text) => {
    const refused = expect(() => make({ name: 'a', llmConfig }))
    refused.toThrow(expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }))
    expect(() => make({ name: 'a', llmConfig })).not.toThrow(/sk-/u)
  })

  it('are told to subclasses that have options of their own', () => {
    expect(Object.keys(ConversableAgent.optionKinds)).toContain('humanInputMode')
  })
})

describe('the options of a chat', () => {
  const io = recordingIo()
  const named = (name: string): ConversableAgent =>
    new ConversableAgent({ name, io, humanInputMode: 'NEVER', llmConfig: functionModel(() => 'TERMINATE') })
  const [ann, ben] = [named('ann'), named('ben')]

  it('are no first message: a text is refused with how to give it', async () => {
    await expect(ann.initiateChat(ben, 'hello' as never)).rejects.toThrow(
      "cannot run `initiateChat` of `ann`: its options are 'hello'; give an object, such as { message: 'hello' }",
    )
    expect(io.prompts).toEqual([])
  })

  it('take a budget and not its limits', async () => {
    const chat = ann.initiateChat(ben, { message: 'hi', budget: { calls: 3 } as never })
    await expect(chat).rejects.toThrow('`budget` is an object; give a budget, such as `createBudget({ calls: 10 })`')
  })

  it('have no signal where nothing could hear it', () => {
    const { signal } = new AbortController()
    // @ts-expect-error -- a blocking form takes no signal
    expect(() => ann.initiateChatSync(ben, { message: 'hi', signal })).toThrow(
      'cannot run `initiateChatSync` of `ann`: no `signal` can stop a blocking call; leave it out, or call `initiateChat`',
    )
  })

  it.each<[string, () => Promise<unknown>, string]>([
    ['send', () => ann.send('hi', undefined as never), 'cannot run `send` of `ann`: its recipient is missing'],
    ['send', () => ann.send('hi', 'bob' as never), 'its recipient is not an agent; give the other agent behind'],
    ['receive', () => ann.receive('hi', undefined as never), 'its sender is missing'],
    [
      'initiateChat',
      () => ann.initiateChat({ message: 'hi' } as never),
      'its recipient is not an agent; give the other',
    ],
    ['initiateChat', () => ann.initiateChat(undefined as never), 'it has no recipient; give the other agent first'],
    [
      'initiateChat',
      () => ann.initiateChat({ '~state': {}, agents: [] } as never, { message: 'hi' }),
      'its recipient is a group and not its manager; write `ann.initiateChat(new GroupChatManager(',
    ],
  ])('%s needs the other agent', async (_, call, text) => {
    await expect(call()).rejects.toMatchObject({ code: 'invalid-argument', message: expect.stringContaining(text) })
  })

  it('have no repairs of a result that nobody asked for', async () => {
    await expect(ann.run('hi', { resultRepairs: 1 })).rejects.toThrow('`resultRepairs` comes without a `result`')
  })
})

describe('two agents of one name', () => {
  const named = (name: string): ConversableAgent =>
    new ConversableAgent({
      name,
      io: recordingIo(),
      humanInputMode: 'NEVER',
      llmConfig: functionModel(() => 'bye'),
    })
  const [ann, other] = [named('ann'), named('ann')]
  const text = 'the other agent is named `ann` too, and their messages could not be told apart; rename one of them'

  it('are refused in every form of a chat', async () => {
    await expect(ann.initiateChat(other, { message: 'hi' })).rejects.toThrow(text)
    expect(() => ann.initiateChatSync(other, { message: 'hi' })).toThrow(text)
    expect(() => ann.initiateChatStream(other, { message: 'hi' })).toThrow(text)
    await expect(ann.send('hi', other)).rejects.toThrow(text)
    expect(() => ann.sendSync('hi', other)).toThrow(text)
    await expect(ann.receive('hi', other)).rejects.toThrow(text)
    expect(() => ann.receiveSync('hi', other)).toThrow(text)
    await expect(ann.initiateChats([{ recipient: other, message: 'hi', chatId: 1 }])).rejects.toThrow(text)
    await expect(initiateChats([{ sender: ann, recipient: other, message: 'hi', chatId: 1 }])).rejects.toThrow(text)
  })

  it('may be one agent, or stand in `run` and in nested chats', async () => {
    expect(await ann.initiateChat(ann, { message: 'hi', maxTurns: 1 })).toMatchObject({
      terminationReason: expect.any(String),
    })
    const user = named('user')
    expect(await user.run('hi')).toMatchObject({ text: 'bye' })
    const outer = named('outer')
    outer.registerNestedChats([{ recipient: named('outer'), maxTurns: 1, summaryMethod: 'last_msg' }], 'ann')
    expect(await ann.initiateChat(outer, { message: 'hi', maxTurns: 1 })).toMatchObject({ summary: 'bye' })
  })
})

describe('what an operation takes by its place', () => {
  const [a, b] = [make({ name: 'a', llmConfig: functionModel(() => 'hi') }), make({ name: 'b' })]
  const notAgents = [2, 'b', { nrMessagesToPreserve: 1 }] as unknown[] as ConversableAgent[]

  it.each(notAgents)('is an agent, and not %o: nothing would be cleared, limited or found', async (given) => {
    await b.initiateChat(a, { message: 'hi', maxTurns: 1, silent: true })
    const doors = [
      () => a.clearHistory(given),
      () => a.updateMaxConsecutiveAutoReply(1, given),
      () => a.resetConsecutiveAutoReplyCounter(given),
      () => a.stopReplyAtReceive(given),
      () => a.lastMessage(given),
      () => a.chatMessagesForSummary(given),
      () => a.maxConsecutiveAutoReply(given),
    ]
    for (const door of doors) expect(door).toThrow('in place of another agent: give that agent')
    expect([...a.chatMessages.keys()]).toEqual([b])
  })

  it.each([-1, Number.NaN, 'x', undefined])('is a maximum of replies, and not %o', (value) => {
    expect(() => a.updateMaxConsecutiveAutoReply(value as number)).toThrow('give a whole number of at least 0')
    expect(a.maxConsecutiveAutoReply()).toBe(100)
  })

  it.each([new Map([['x', 1]]), ['x'], 'x', null])('is an object of variables, and not %o', (variables) => {
    expect(() => a.updateContext(variables as never)).toThrow('give a plain object of variables')
  })

  it.each([
    ['hook', () => a.registerHook('updateAgentState', 'Hello.' as never)],
    ['reply function', () => a.registerReply(() => true, b as never)],
    ['reply function in place of another', () => a.replaceReplyFunc(a.generateOaiReply, null as never)],
    ['function for the state', () => make({ name: 'c', updateAgentStateBeforeReply: ['Hello {name}.'] })],
  ])('is a %s, which would fail only when it is called', (_, register) => {
    expect(register).toThrow('is no function: give')
  })

  it('are variables, and no map of them, which would have none', () => {
    for (const contextVariables of [new Map([['name', 'Ann']]), { '~values': new Map() }]) {
      expect(() => make({ name: 'c', contextVariables })).toThrow('give a plain object of variables')
    }
  })
})
