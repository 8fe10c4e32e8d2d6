import { functionModel } from '@x/testing'
import type { ToolSchema, XEvent } from '@x/interfaces'
import { describe, expect, it, vi } from 'vitest'
import { AssistantAgent, ConversableAgent, tool, UserProxyAgent } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const add = tool({
  name: 'add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  execute: ({ a, b }) => Number(a) + Number(b),
})

const calls = (name: string): ReturnType<typeof functionModel> =>
  functionModel(({ messages }) => {
    const { role, content } = messages.at(-1)!
    if (role === 'tool') return `It is ${content as string}. TERMINATE`
    return { tool_calls: [{ id: 'c', function: { name, arguments: '{"a":1,"b":2}' } }] }
  })

describe('a function of an agent that nobody executes', () => {
  it.each([true, false])('is warned of once, and says where it belongs; silent: %s', async (silent) => {
    const sent: string[] = []
    const io = { send: (event: XEvent) => void (event.type === 'warning' && sent.push(event.text)), input: () => '' }
    const bot = new AssistantAgent({ name: 'bot', llmConfig: calls('add'), silent, io })
    bot.registerFunction({ add: () => 3 })
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent, io })
    for (const _ of [1, 2]) {
      const { chatHistory } = await user.initiateChat(bot, { message: '1 + 2?', maxTurns: 2 })
      expect(chatHistory[2]?.content).toContain('Function add not found')
    }
    expect(sent).toEqual([expect.stringMatching(/`bot` calls its own function `add`, but `user` .* `bot\.use\(…\)`$/u)])
  })

  it('is printed by the console of silent agents', async () => {
    const printed = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const all = vi.spyOn(console, 'log').mockImplementation(() => {})
    const bot = new AssistantAgent({ name: 'bot', llmConfig: calls('add'), silent: true })
    bot.registerFunction({ add: () => 3 })
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })
    await user.initiateChat(bot, { message: '1 + 2?', maxTurns: 2 })
    expect(printed.mock.calls.flat()).toEqual([expect.stringContaining('calls its own function `add`')])
    expect(all).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })
})

describe('tools that an agent uses', () => {
  it.each([
    [new AssistantAgent({ name: 'cook' }), /the agent `cook` is not a tool: give one that asks it/u],
    [{}, /an object is not a tool: make one with `tool\(/u],
    [null, /null is not a tool/u],
    [() => 1, /a function is not a tool/u],
    [function look() {}, /make one with `tool\(\{ name: 'look', description, parameters, execute: look \}\)`/u],
    [{ add }, /an object of tools is not a tool: give a list, as in `\[add\]`; each tool has a `name` of its own/u],
    [Promise.resolve([add]), /a promise is not a tool: await it first/u],
    [
      { tools: () => [] },
      /a connection is not a tool: give its tools, as in `connection\.tools\(\{ allow: 'all' \}\)`/u,
    ],
    [
      { type: 'function', function: { name: 'add' } },
      /the schema of a function is not a tool, since nothing executes it/u,
    ],
    [
      { description: 'd', inputSchema: {}, execute: (): number => 1 },
      /parameters: its\.inputSchema, execute: its\.execute/u,
    ],
    [{ parameters: {}, execute: (): number => 1 }, /a tool of another library is not a tool here/u],
  ])('are tools, and not %o', (value, problem) => {
    const use = (): unknown => new AssistantAgent({ name: 'a' }).use([value as never])
    expect(use).toThrow(problem)
    expect(use).toThrow(/^cannot run `use` of `a`: /u)
  })

  it('are made of an agent by `asTool`', () => {
    const cook = new AssistantAgent({ name: 'cook' })
    const given = () => new AssistantAgent({ name: 'a' }).use(cook as never)
    expect(given).toThrow('as in `tools: cook.asTool({ description })`')
  })

  it.each<[functions: unknown, problem: string]>([
    [() => 1, 'its functions are no object; give them by their names'],
    [undefined, 'its functions are no object'],
    [{ add }, '`add` is no function; register a tool by `registerForExecution(tool)`, or give it by `use(tool)`'],
    [[() => 1, add], '`1` is no function'],
  ])('are no functions of a map: %o', (functions, problem) => {
    const agent = new AssistantAgent({ name: 'a' })
    expect(() => agent.registerFunction(functions as never)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining(`cannot run \`registerFunction\` of \`a\`: ${problem}`),
      }),
    )
    expect(agent.functionMap).toEqual({})
  })

  it('are executed by whoever gets its calls, in a run and in a chat', async () => {
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig: calls('add'), io: recordingIo() }).use(add)
    expect((await assistant.run('1 + 2?')).text).toBe('It is 3.')
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })
    const chat = await user.initiateChat(assistant, { message: '1 + 2?', silent: true })
    expect(chat.chatHistory.at(-1)?.content).toBe('It is 3. TERMINATE')
    expect(user.functionMap).toEqual({})
    expect(user.initiateChatSync(assistant, { message: '1 + 2?', silent: true }).summary).toBe('It is 3. ')
  })

  it('are told to its model alone, and are its own alone', async () => {
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig: calls('add'), io: recordingIo() })
    const other = new AssistantAgent({ name: 'other', llmConfig: calls('add'), io: recordingIo() })
    assistant.use([add])
    expect([assistant.tools, other.tools]).toEqual([[add], []])
    const { messages } = await other.run('1 + 2?', { maxTurns: 1 })
    expect(JSON.stringify(messages)).not.toContain('It is 3')
    expect(assistant.canExecuteFunction('add')).toBe(true)
  })

  it('are told to its model in order, which is made anew once for all of them', () => {
    const llmConfig = calls('add')
    const changed: string[][] = []
    const counted: typeof llmConfig = {
      ...llmConfig,
      with(changes) {
        changed.push((changes['tools'] as ToolSchema[]).map((each) => each.function.name))
        return { ...llmConfig.with(changes), with: counted.with }
      },
    }
    const named = (name: string): typeof add => ({ ...add, name })
    const agent = new AssistantAgent({ name: 'a', llmConfig: counted }).use([named('b'), named('a'), named('c')])
    agent.use([named('d'), add])
    expect(changed).toEqual([
      ['b', 'a', 'c'],
      ['b', 'a', 'c', 'd', 'add'],
    ])
    expect(agent.tools.map(({ name }) => name)).toEqual(changed[1])
  })

  it('have names of their own', () => {
    const agent = new ConversableAgent({ name: 'a' }).use(add)
    expect(() => agent.use({ ...add })).toThrow(/cannot give `a` the tool `add`: it has another one of that name/u)
  })

  it('may ask the person behind the agent that executes them', async () => {
    const io = recordingIo(['', 'blue', ''])
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      execute: async (_, { io: person }) => await person!.input('Colour?'),
    })
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig: calls('ask'), io }).use(ask)
    expect((await assistant.run('?', { userInput: true })).text).toBe('It is blue.')
    expect(io.prompts[1]).toBe('Colour?')
  })
})
