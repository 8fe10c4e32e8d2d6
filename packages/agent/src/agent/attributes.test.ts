import type { ChatMessage, CodeExecutor, CodeReader, FunctionSchema, LlmConfig, ToolContext } from '@x/interfaces'
import { scriptedModel } from '@x/testing'
import { describe, expect, it, vi } from 'vitest'
import { ConversableAgent, tool, type ConversableAgentOptions } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: 'NEVER', io: recordingIo(), ...options })

const f = tool({ name: 'f', description: 'Does f.', parameters: { type: 'object' }, execute: () => 1 })
const signature: FunctionSchema = { name: 'f', description: 'Does f.', parameters: { type: 'object' } }
const messages: ChatMessage[] = [{ role: 'user', content: 'x' }]

describe('an agent', () => {
  it('has the attributes of the spec, with their defaults', () => {
    const its = new ConversableAgent({ name: 'a', io: recordingIo() })
    expect({
      name: its.name,
      description: its.description,
      systemMessage: its.systemMessage,
      llmConfig: its.llmConfig,
      silent: its.silent,
      humanInputMode: its.humanInputMode,
      replyAtReceive: its.replyAtReceive,
      clientCache: its.clientCache,
      runExecutor: its.runExecutor,
      hookLists: its.hookLists,
      codeExecutor: its.codeExecutor,
      chatMessages: its.chatMessages,
      useDocker: its.useDocker,
      tools: its.tools,
      functionMap: its.functionMap,
      humanInput: its.humanInput,
    }).toEqual({
      name: 'a',
      description: 'You are a helpful AI Assistant.',
      systemMessage: 'You are a helpful AI Assistant.',
      llmConfig: false,
      silent: null,
      humanInputMode: 'TERMINATE',
      replyAtReceive: new Map(),
      clientCache: null,
      runExecutor: null,
      hookLists: {
        processLastReceivedMessage: [],
        processAllMessagesBeforeReply: [],
        processMessageBeforeSend: [],
        updateAgentState: [],
      },
      codeExecutor: null,
      chatMessages: new Map(),
      useDocker: null,
      tools: [],
      functionMap: {},
      humanInput: [],
    })
    expect(() => Object.assign(its, { name: 'b' })).toThrow(TypeError)
  })

  it('has the constants of the spec', () => {
    expect(ConversableAgent.MAX_CONSECUTIVE_AUTO_REPLY).toBe(100)
    expect(agent('a').maxConsecutiveAutoReply()).toBe(100)
    expect(ConversableAgent.DEFAULT_CONFIG).toBe(false)
    expect(ConversableAgent.DEFAULT_SUMMARY_METHOD).toBe('last_msg')
    expect(ConversableAgent.DEFAULT_SUMMARY_PROMPT).toBe(
      'Summarize the takeaway from the conversation. Do not add any introductory phrases.',
    )
  })

  it('shares nothing with another one that can be changed', () => {
    const [a, b] = [agent('a'), agent('b')]
    a.registerHook('updateAgentState', () => {})
    a.registerReply(b, () => [true, null])
    a.registerFunction({ f: () => 1 })
    a.setContext('key', 1)
    a.replaceReplyFunc(a.checkTerminationAndHumanReply, () => [false, null])
    expect(b.hookLists.updateAgentState).toEqual([])
    expect(b.replyFuncList.map(({ replyFunc }) => (replyFunc as { name: string }).name)).toEqual([
      'checkTerminationAndHumanReply',
      'generateFunctionCallReply',
      'generateToolCallsReply',
      'generateOaiReply',
    ])
    expect(b.functionMap).toEqual({})
    expect(b.getContext('key')).toBe(null)
    expect(b.generateReplySync({ messages: [{ content: 'TERMINATE' }] })).toBe(null)
  })

  it('tells where code runs', () => {
    const codeReader: CodeReader = { extractCode: () => [], inferLang: () => 'sh' }
    const executor: CodeExecutor = {
      codeReader,
      isolation: 'sandbox',
      executeCodeBlocks: () => ({ exitCode: 0, output: '' }),
    }
    const runner = { codeReader, useDocker: 'python:3', runCode: (): [number, string, null] => [0, '', null] }
    const byExecutor = agent('a', { codeExecutionConfig: { executor } })
    const byRunner = agent('a', { codeExecutionConfig: { runner } })
    expect([byExecutor.codeExecutor, byExecutor.useDocker]).toEqual([executor, null])
    expect([byRunner.codeExecutor, byRunner.useDocker]).toEqual([null, 'python:3'])
    expect(byRunner.replyFuncList).toHaveLength(5)
  })

  it('registers all functions of a call or none', () => {
    const its = agent('a')
    expect(() => its.registerFunction({ good: () => 1, 'not good': () => 1 })).toThrow(
      expect.objectContaining({ code: 'invalid-name' }),
    )
    expect(its.functionMap).toEqual({})
  })

  it('gives copies of its tools and functions', () => {
    const its = agent('a', { llmConfig: scriptedModel([]) })
    its.registerForLlm(f)
    its.registerForExecution(f)
    its.tools.pop()
    delete its.functionMap['f']
    expect(its.tools).toHaveLength(1)
    expect(its.canExecuteFunction('f')).toBe(true)
    expect(its.canExecuteFunction(['f', 'g'])).toBe(false)
  })

  it('keeps a record of each reply function', () => {
    const its = agent('a')
    const config = { deep: {} }
    const resetConfig = (): void => {}
    const reply = async (): Promise<[boolean, null]> => [false, null]
    its.registerReply('b', reply, { config, resetConfig, ignoreAsyncInSyncChat: true })
    const [record] = its.replyFuncList
    expect(record).toMatchObject({ trigger: 'b', replyFunc: reply, config, resetConfig, ignoreAsyncInSyncChat: true })
    expect(record!.initConfig).toBe(config)
    expect(record!.config).not.toBe(config)
    its.registerReply('b', () => [false, null], { ignoreAsyncInSyncChat: true })
    expect(its.replyFuncList[0]!.ignoreAsyncInSyncChat).toBe(false)
  })

  it('begins the count anew, for one sender or for all', () => {
    const [its, b, c] = [agent('a', { maxConsecutiveAutoReply: 1 }), agent('b'), agent('c')]
    const replies = (): unknown[] => [b, c].map((sender) => its.generateReplySync({ messages, sender }))
    expect(replies()).toEqual(['', ''])
    its.resetConsecutiveAutoReplyCounter(b)
    expect(replies()).toEqual(['', null])
    its.resetConsecutiveAutoReplyCounter()
    expect(replies()).toEqual(['', ''])
  })

  it('gives the messages for a summary', () => {
    const [a, b] = [agent('a'), agent('b')]
    a.sendSync('hi', b)
    expect(a.chatMessagesForSummary(b)).toEqual([{ content: 'hi', role: 'assistant', name: 'a' }])
    expect(b.chatMessagesForSummary(a)).toEqual([{ content: 'hi', role: 'user', name: 'a' }])
  })

  it('tells a model that a human came before its function call, and its tool calls', () => {
    const its = agent('a', { humanInputMode: 'ALWAYS', io: recordingIo(['wait']) })
    const call = { name: 'f', arguments: '{}' }
    const asked = [{ content: null, function_call: call, tool_calls: [{ id: '1', function: call }] }]
    expect(its.checkTerminationAndHumanReplySync({ messages: asked })).toEqual([
      true,
      {
        role: 'user',
        content: 'wait',
        tool_responses: [
          { role: 'function', name: 'f', content: 'USER INTERRUPTED' },
          { role: 'tool', tool_call_id: '1', content: 'USER INTERRUPTED' },
        ],
      },
    ])
  })

  it('leaves the last message alone in each of the eight cases', () => {
    const its = agent('a')
    const given: (readonly ChatMessage[] | null)[] = [
      null,
      [],
      [{ content: 'x', function_call: { name: 'f', arguments: '' } }],
      [{ content: 'x', context: {} }],
      [{ role: 'user' }],
      [{ content: () => 'computed' }],
      [{ content: 'exit' }],
      [{ content: 'same' }],
    ]
    expect(its.processLastReceivedMessageSync(messages)).toBe(messages)
    its.registerHook('processLastReceivedMessage', (content) => (content === 'same' ? content : 'changed'))
    for (const each of given) expect(its.processLastReceivedMessageSync(each)).toBe(each)
    expect(its.processLastReceivedMessageSync(messages)).toEqual([{ role: 'user', content: 'changed' }])
    expect(messages).toEqual([{ role: 'user', content: 'x' }])
  })

  it('gives the id of a function call to its function', () => {
    let seen: ToolContext | undefined
    const its = agent('a', { functionMap: { f: (_, context) => void (seen = context) } })
    its.generateFunctionCallReplySync({
      messages: [{ content: null, id: '7', function_call: { name: 'f', arguments: '{}' } }],
    })
    expect(seen?.callId).toBe('7')
  })
})

describe('signatures', () => {
  it('tells a model of functions in the older style', () => {
    const model = scriptedModel(['x'])
    const its = agent('a', { llmConfig: model })
    its.registerForLlm(f, { apiStyle: 'function' })
    its.generateOaiReplySync({ messages })
    expect(model.calls[0]!.params['functions']).toEqual([signature])
  })

  it('tells a model of the functions of an agent all at once', () => {
    const model = scriptedModel(['x'])
    const g = tool({ name: 'g', description: 'Does g.', parameters: { type: 'object' }, execute: () => 2 })
    const made = vi.fn(model.with)
    const its = agent('a', { llmConfig: { ...model, where: model.where, with: made }, functions: [f, g] })
    expect(made).toHaveBeenCalledExactlyOnceWith({
      tools: [f, g].map(({ name }) => ({ type: 'function', function: expect.objectContaining({ name }) as unknown })),
    })
    expect(its.tools.map(({ name }) => name)).toEqual(['f', 'g'])
  })

  it('deletes the key of signatures with the last of them', () => {
    const its = agent('a', { llmConfig: scriptedModel([]) })
    const keys = (): string[] =>
      Object.keys((its.llmConfig as LlmConfig).config).filter((key) => key === 'functions' || key === 'tools')
    its.updateFunctionSignature(signature)
    its.updateToolSignature({ type: 'function', function: signature })
    expect(keys().toSorted()).toEqual(['functions', 'tools'])
    its.updateFunctionSignature('f', { isRemove: true })
    expect(keys()).toEqual(['tools'])
    its.updateToolSignature({ type: 'function', function: signature }, { isRemove: true })
    expect(keys()).toEqual([])
    expect(() => its.updateToolSignature('f', { isRemove: true })).toThrow(
      expect.objectContaining({ code: 'invalid-state' }),
    )
  })

  it('leaves tools of the provider, which have no function, beside those of the agent', () => {
    const search = { type: 'web_search' }
    const model = scriptedModel(['x', 'x'])
    const its = agent('a', { llmConfig: model.with({ tools: [search] }) })
    its.registerForLlm(f)
    const tools = (): unknown => (its.llmConfig as LlmConfig).config['tools']
    expect(tools()).toEqual([search, expect.objectContaining({ type: 'function' })])
    its.updateToolSignature('f', { isRemove: true })
    expect(tools()).toEqual([search])
  })

  it('refuses a function signature without a name, and one that is none', () => {
    const its = agent('a', { llmConfig: scriptedModel([]) })
    for (const wrong of ['f', {}]) {
      expect(() => its.updateFunctionSignature(wrong as FunctionSchema)).toThrow(
        expect.objectContaining({ code: 'invalid-argument' }),
      )
    }
  })

  it('refuses a model client without a model', () => {
    expect(() => agent('a').registerModelClient(Object as never)).toThrow(
      expect.objectContaining({ code: 'invalid-state' }),
    )
  })
})
