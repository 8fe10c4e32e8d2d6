import { setImmediate as tick } from 'node:timers/promises'
import type { ChatMessage, ToolContext, XEvent } from '@x/interfaces'
import { functionModel, scriptedModel } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ag2Run, AssistantAgent, ChatJournal, ConversableAgent, createAgent, tool, UserProxyAgent } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const call = (name: string, args: object = {}, id = 'c1') => ({
  content: null,
  tool_calls: [{ id, function: { name, arguments: JSON.stringify(args) } }],
})

/** A model that says which texts of users it was shown. */
const repeating = () =>
  functionModel(async ({ messages }) => {
    await tick()
    return messages.flatMap(({ role, content }) => (role === 'user' ? [content as string] : [])).join(' + ')
  })

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up.',
  parameters: { type: 'object', properties: { word: { type: 'string' } } },
  execute: ({ word }) => `found ${String(word)}`,
})

describe('runs of one agent', () => {
  it('know nothing of each other, at once and one after the other', async () => {
    const agent = createAgent({ name: 'assistant', model: repeating() })
    const asked = ['Ann: my PIN is 4711', 'Bob: hello', 'Cem: hi']
    const results = await Promise.all(asked.map((question) => agent.run(question)))
    expect(results.map(({ text }) => text)).toEqual(asked)
    expect((await agent.run('Bob: hello')).text).toBe('Bob: hello')
    expect(agent.runSync !== undefined && agent.chatMessages.size).toBe(0)
    expect(JSON.stringify(agent.saveState())).not.toContain('4711')
  })

  it('go on from messages that are handed in, as JSON too, and the model sees what it saw', async () => {
    const model = scriptedModel([call('look_up', { word: 'oslo' }), 'Cold.', 'Take a coat.'])
    const agent = createAgent({ name: 'assistant', model, tools: lookUp })
    const first = await agent.run('Oslo?')
    expect(first.messages).toEqual([
      { role: 'user', name: 'user', content: 'Oslo?' },
      expect.objectContaining({ role: 'assistant', tool_calls: [expect.objectContaining({ id: 'c1' })] }),
      { role: 'tool', tool_call_id: 'c1', content: 'found oslo' },
      { role: 'assistant', name: 'assistant', content: 'Cold.' },
    ])
    const stored = JSON.parse(JSON.stringify(first.messages)) as ChatMessage[]
    const next = await agent.run([...stored, { role: 'user', content: 'And to wear?' }])
    expect(next.text).toBe('Take a coat.')
    expect(next.messages.slice(0, -2)).toEqual(first.messages)
    expect(next.toolCalls).toEqual([])
    const [, before, after] = model.calls.map(({ messages }) => messages)
    expect(after!.slice(0, before!.length)).toEqual(before)
    expect(after!.slice(before!.length)).toMatchObject([{ content: 'Cold.' }, { content: 'And to wear?' }])
  })

  it('take messages as other programs write them', async () => {
    const model = scriptedModel(['Yes.'])
    const agent = createAgent({ name: 'assistant', model })
    const { text, messages } = await agent.run([
      { role: 'system', content: 'The user is a child.' },
      { role: 'user', content: [{ type: 'text', text: 'Is it cold?' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'x', content: '6 degrees' },
    ])
    expect(text).toBe('Yes.')
    expect(model.calls[0]!.messages.map(({ role }) => role)).toEqual(['system', 'system', 'user', 'assistant', 'tool'])
    expect(messages).toHaveLength(5)
  })

  it.each<[what: string, given: unknown, says: string]>([
    ['nothing', undefined, 'it has no message; give a text'],
    ['null', null, 'it has no message'],
    ['an empty list', [], 'its list of messages is empty'],
    ['an unknown role', [{ role: 'robot', content: 'x' }], 'message 0 has no `role` of user'],
    ['the role of another library', [{ role: 'human', content: 'x' }], 'the `role` `human`, which is `user` here'],
    ['texts in a list', ['x', 'y'], "message 0 is a text; write `{ role: 'user', content: '…' }`"],
    ['parts', [{ role: 'user', parts: [] }], 'write its `parts` as `content`'],
    ['an empty question', '', 'its question is empty'],
    ['an empty message', { content: '' }, 'its question is empty'],
    ['a question of blanks', ' \n', 'its question is empty'],
    [
      'an empty question behind messages',
      [
        { role: 'assistant', content: 'x' },
        { role: 'user', content: ' ' },
      ],
      'the question, is empty',
    ],
    ['a message of parts', { role: 'user', parts: [] }, 'has no `content`; write its `parts` as `content`'],
    ['an agent', createAgent({ name: 'other', model: repeating() }), 'of two agents that talk, write `initiateChat('],
    ['a message of nothing', [{ role: 'user', content: 'x' }, { role: 'user' }], 'message 1 has neither `content`'],
    [
      'no question',
      [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: 'y' },
      ],
      'of the assistant',
    ],
  ])('refuse %s', async (_, given, says) => {
    const agent = createAgent({ name: 'assistant', model: repeating() })
    await expect(agent.run(given as string)).rejects.toMatchObject({
      code: 'invalid-message',
      message: expect.stringContaining(says) as string,
    })
  })

  it.each<[given: unknown, options: object, says: string]>([
    [{ prompt: 'x' }, {}, 'it is an object with `prompt`; give the question first'],
    [{ messages: [] }, {}, 'it is an object with `messages`; give the question first'],
    ['x', { abortSignal: AbortSignal.abort() }, 'the option `abortSignal` is unknown; write `signal`'],
    ['x', { output: {} }, 'give the schema as `result`'],
    ['x', { maxSteps: 3 }, 'write `maxTurns`'],
    ['x', { temperature: 0 }, "as in `openai('gpt-5-mini', { temperature: 0 })`"],
    ['x', { threadId: 'a' }, 'hand the messages of the result before in'],
    ['x', { summaryMethod: null }, 'its answer is `text`; write `{ ...ag2Run, summaryMethod }`'],
    ['x', { maxTurn: 3 }, '`maxTurns`'],
    ['x', { abort_signal: 1 }, 'write `signal`'],
    ['x', { signal: new AbortController() }, 'give the `signal` of the controller'],
    ['x', { signal: 3000 }, 'write `signal: AbortSignal.timeout(3000)`, in milliseconds'],
    ['x', { resume: {} }, 'goes on with the same question and its journal'],
    ['x', { journal: { entries: [] } }, '`ChatJournal.load(state)`'],
    ['x', { journal: '{}' }, '`ChatJournal.load(JSON.parse(text))`'],
    ['x', { budget: 0.5 }, 'write `budget: createBudget({ cost: 0.5 })`'],
    ['x', { maxCost: 1 }, 'write `budget: createBudget({ cost: 0.5 })`, in US dollars'],
    ['x', { context: {} }, 'into the closure of the tools of this run'],
    ['x', { events: () => {} }, 'write `emit`, which gets every event'],
    ['x', { userInput: () => '' }, 'write `true`, and give the agent an `io` that asks'],
    ['x', { verbose: true }, 'write `silent: false`'],
    ['x', { result: { schema: {} } }, 'its `result` is not a schema: `schema` is no keyword of JSON Schema'],
    ['x', { result: { sum: z.number() } }, 'put them into z.object({ sum: … })'],
    ['x', { result: { type: 'strin' } }, "did you mean 'string'?"],
    ['x', { humanInputMode: 'NEVER' }, 'write `userInput: true`, which asks a person'],
    ['x', { autoApprove: true }, 'a tool without `needsApproval` needs none'],
    ['x', createAgent({ name: 'other', model: repeating() }), 'an agent stands where the options belong'],
    ['x', { result: { type: 'object', properties: { sum: z.number() } } }, '`properties.sum` is a schema of a library'],
    ['x', { result: String }, 'its `result` is not a schema: the schema is a function'],
    ['x', { nonsense: 1 }, 'it takes `tools`, `maxTurns`, `maxMessages`, `silent`'],
  ])('say what to write in place of %o, %o', async (given, options, says) => {
    const agent = createAgent({ name: 'assistant', model: repeating() })
    await expect(agent.run(given as string, options)).rejects.toThrow(says)
  })

  it.each<[options: object, says: string]>([
    [{ prompt: 'x' }, 'write `message`'],
    [{ problem: 'x' }, 'write `messageArgs: { problem }`'],
    [{ message: 'x', result: {} }, 'only `run` gives a checked value'],
    [{ message: 'x', tools: [] }, 'give them to the agents'],
    [{ message: 'x', stream: true }, 'call `initiateChatStream`'],
    [{ message: 'x', max_rounds: 3 }, 'write `maxTurns`'],
  ])('say what to write in a chat in place of %o', async (options, says) => {
    const agent = createAgent({ name: 'assistant', model: repeating() })
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER' })
    await expect(user.initiateChat(agent, options)).rejects.toThrow(says)
  })

  it('say what to write in a queue', async () => {
    const agent = createAgent({ name: 'assistant', model: repeating() })
    const chat = { to: agent, message: 'x' } as never
    await expect(agent.initiateChats([chat])).rejects.toThrow('the option `to` is unknown; write `recipient`')
  })

  it.each<[what: string, error: () => unknown, warned: boolean]>([
    ['a fault of the program', () => (undefined as unknown as { x: { y: 1 } }).x.y, true],
    ['a network that fails', () => Promise.reject(new TypeError('fetch failed', { cause: new Error('x') })), false],
    ['a bad value', () => new URL('x'), false],
    ['an error that the tool throws', () => Promise.reject(new Error('no such order')), false],
  ])('warn of a tool with %s: %s', async (_, execute, isWarned) => {
    const events: XEvent[] = []
    const agent = createAgent({
      name: 'clerk',
      model: functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'Sorry.' : call('look'))),
      tools: tool({ name: 'look', description: 'Looks.', execute }),
    })
    const { text } = await agent.run('Look.', { emit: (event) => void events.push(event) })
    const topics = events.flatMap((event) => (event.type === 'warning' ? [event.topic] : []))
    expect([text, topics]).toEqual(['Sorry.', isWarned ? ['tool-fault'] : []])
  })

  it.each(['run', 'runSync'] as const)('tell which calls failed, and why: %s', async (face) => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      execute: () => {
        throw new Error('no such order')
      },
    })
    const asks = {
      content: null,
      tool_calls: ['look', 'lok', 'say'].map((name, at) => call(name, {}, `c${at}`).tool_calls[0]!),
    }
    const broken = { content: null, tool_calls: [{ id: 'c3', function: { name: 'look', arguments: '{' } }] }
    const say = tool({ name: 'say', description: 'Says.', execute: () => 'Error: none' })
    const model = scriptedModel([asks, broken, 'Sorry.'])
    const { toolCalls } = await createAgent({ name: 'clerk', model, tools: [look, say] })[face]('Look.')
    expect(toolCalls.map(({ error }) => error)).toEqual([
      { code: 'tool-failed', message: 'no such order' },
      { code: 'unknown-tool', message: 'Function lok not found.' },
      null,
      { code: 'invalid-argument', message: expect.stringContaining('JSON') },
    ])
  })

  it.each([
    ['an identifier that a model uses again', 'c0'],
    ['no identifier', undefined],
  ])('tell calls with %s from each other', async (_, id) => {
    const half = tool({
      name: 'half',
      description: 'Halves.',
      parameters: { type: 'object', properties: { of: { type: 'number' } } },
      execute({ of }) {
        if (Number(of) % 2 === 1) throw new Error(`${String(of)} is odd`)
        return Number(of) / 2
      },
    })
    const asks = (...numbers: number[]) => ({
      content: null,
      tool_calls: numbers.map((of) => ({
        ...(id !== undefined && { id }),
        function: { name: 'half', arguments: JSON.stringify({ of }) },
      })),
    })
    const model = scriptedModel([asks(3, 4), asks(5), asks(6), 'Done.'])
    const { toolCalls } = await createAgent({ name: 'clerk', model, tools: half }).run('Halve.')
    expect(toolCalls.map(({ result, error }) => [result, error?.message])).toEqual([
      ['Error: 3 is odd', '3 is odd'],
      ['2', undefined],
      ['Error: 5 is odd', '5 is odd'],
      ['3', undefined],
    ])
  })

  it('tell a call that was denied, also in another process', async () => {
    const ask = tool({ name: 'ask', description: 'Asks.', needsApproval: true, execute: () => 'asked' })
    const fail = tool({ name: 'fail', description: 'Fails.', execute: () => Promise.reject(new Error('down')) })
    const replies = [call('fail', {}, 'c0'), call('ask'), 'No.']
    const model = functionModel(({ messages }) => replies[messages.filter(({ role }) => role === 'tool').length]!)
    const agent = () => createAgent({ name: 'clerk', model, tools: [ask, fail] })
    const { journal, pending } = await agent().run('Ask.')
    await journal!.decide(pending[0]!.id, { allow: false, reason: 'too late' })
    const { toolCalls } = await agent().run('Ask.', { journal: ChatJournal.load(journal!.saveState()) })
    expect(toolCalls.map(({ error }) => error)).toEqual([
      { code: 'tool-failed', message: 'down' },
      { code: null, message: 'too late' },
    ])
  })

  it('say where the arguments of a tool are that looks for them elsewhere', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      parameters: z.object({ city: z.string() }),
      execute: (({ context }: { context: { city: string } }) => context.city) as never,
    })
    const model = scriptedModel([call('look', { city: 'Oslo' }), 'Sorry.'])
    const texts: string[] = []
    const emit = (event: XEvent): void => void (event.type === 'warning' && texts.push(event.text))
    await createAgent({ name: 'clerk', model, tools: look }).run('Look.', { emit })
    expect(texts).toEqual([expect.stringContaining('has it, as in `execute: ({ city }) => …`')])
  })

  it('bring tools that other runs at the same time do not see', async () => {
    const model = functionModel(async ({ messages, tools }) => {
      await tick()
      return messages.at(-1)!.role === 'tool' ? 'done' : call(tools[0]!.function.name)
    })
    const agent = createAgent({ name: 'assistant', model })
    const names = ['a', 'b', 'c']
    const results = await Promise.all(
      names.map((name) => agent.run('go', { tools: tool({ name, description: name, execute: () => `of ${name}` }) })),
    )
    expect(results.map(({ toolCalls }) => toolCalls.map(({ result }) => result))).toEqual([
      ['of a'],
      ['of b'],
      ['of c'],
    ])
    for (const { tools } of model.calls) expect(tools).toHaveLength(1)
    await expect(
      createAgent({ name: 'x', model, tools: lookUp }).run('go', { tools: { ...lookUp, description: 'other' } }),
    ).rejects.toThrow('another tool of the name `look_up`')
  })

  it('tell tokens and cost of their own, those of agents in their tools included', async () => {
    const costs = (content: object | string) => ({
      ...(typeof content === 'string' ? { content } : content),
      usage: [10, 5] as const,
      cost: 0.25,
    })
    const expert = createAgent({ name: 'expert', model: functionModel(() => costs('deep')) })
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      execute: async (_, { run }) => (await expert.run('why?', { run })).text,
    })
    const model = functionModel(({ messages }) => costs(messages.at(-1)!.role === 'tool' ? 'so' : call('ask')))
    const agent = createAgent({ name: 'assistant', model, tools: ask })
    for (const { cost, usage } of await Promise.all([agent.run('one'), agent.run('two')])) {
      expect(cost).toBe(0.75)
      expect(usage).toMatchObject({ promptTokens: 30, completionTokens: 15, totalTokens: 45 })
    }
    expect((await expert.run('plain')).cost).toBe(0.25)
  })
})

describe('a run by default', () => {
  const printed: string[] = []
  beforeEach(() => {
    printed.length = 0
    for (const method of ['log', 'warn', 'info', 'error'] as const) {
      vi.spyOn(console, method).mockImplementation((...given: unknown[]) => void printed.push(given.join(' ')))
    }
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  })
  afterEach(() => void vi.restoreAllMocks())

  it('prints nothing and asks nobody, whatever the agent is', async () => {
    const model = () => scriptedModel([call('look_up'), 'It is so. TERMINATE'])
    const agents = [
      createAgent({ name: 'a', model: model(), tools: lookUp }),
      new AssistantAgent({ name: 'a', llmConfig: model() }).use(lookUp),
      new ConversableAgent({ name: 'a', llmConfig: model() }).use(lookUp),
    ]
    for (const agent of agents) expect((await agent.run('Is it?')).text).toBe('It is so.')
    expect(printed).toEqual([])
  })

  it('says that its result is lost if it is read too early', () => {
    const run = createAgent({ name: 'a', model: repeating() }).run('x')
    expect(() => (run as unknown as { text: string }).text).toThrow('write `(await agent.run(…)).text`')
    return run
  })

  it('tells an assistant nothing of code and of an end word, where neither is of use', async () => {
    const model = scriptedModel(['x'], { repeatLast: true })
    const agent = new AssistantAgent({ name: 'a', llmConfig: model, silent: true })
    await agent.run('x')
    await new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER' }).initiateChat(agent, {
      message: 'x',
      maxTurns: 1,
    })
    const codeReader = { extractCode: () => [], inferLang: () => 'sh' }
    const runner = { useDocker: false, codeReader, runCode: () => [0, '', null] as [number, string, null] }
    const coder = new UserProxyAgent({ name: 'coder', humanInputMode: 'NEVER', codeExecutionConfig: { runner } })
    await coder.initiateChat(agent, { message: 'x', maxTurns: 1 })
    const told = model.calls.map(({ messages }) => messages[0]!.content as string)
    expect(told.map((text) => [text.includes('fenced block'), text.includes('TERMINATE')])).toEqual([
      [false, false],
      [false, true],
      [true, true],
    ])
    expect(told[2]).toBe(AssistantAgent.DEFAULT_SYSTEM_MESSAGE)
  })
})

describe('a run that needs a decision', () => {
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: { type: 'object', properties: { euros: { type: 'number' } } },
    needsApproval: true,
    execute: ({ euros }) => `paid ${paid.push(euros) && String(euros)}`,
  })
  const model = () =>
    functionModel(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? `done: ${messages.at(-1)!.content as string}` : call('pay', { euros: 25 }),
    )
  beforeEach(() => void (paid.length = 0))

  it.each(['run', 'runSync'] as const)('ends as `suspended`, and goes on with its journal: %s', async (face) => {
    const llmConfig = model()
    const agent = createAgent({ name: 'clerk', model: llmConfig, tools: pay })
    const first = await agent[face]('Refund.')
    expect(first).toMatchObject({ terminationReason: 'suspended', text: '' })
    expect(first.pending).toMatchObject([{ agent: 'clerk', action: { type: 'toolCall', name: 'pay' } }])
    expect(first.toolCalls).toEqual([{ id: 'c1', name: 'pay', arguments: { euros: 25 }, result: null, error: null }])
    // Another process.
    const journal = ChatJournal.load(JSON.parse(JSON.stringify(first.journal!.saveState())))
    for (const { id } of journal.pending) await journal.decide(id, { allow: true, arguments: { euros: 20 } })
    const other = createAgent({ name: 'clerk', model: model(), tools: pay })
    const { text, pending, ...last } = await other[face]('Refund.', { journal })
    expect([text, pending, last.journal, paid]).toEqual(['done: paid 20', [], null, [20]])
    expect(llmConfig.calls).toHaveLength(1)
    expect(last.usage.totalTokens).toBeGreaterThan(first.usage.totalTokens)
  })

  describe('counts what agents in its tools have used before', () => {
    /** A model that calls tools in their order, each once, and then answers; a call costs a dollar and 15 tokens. */
    const calling = (...names: string[]) =>
      functionModel(({ messages }) => {
        const name = names[messages.filter(({ role }) => role === 'tool').length]
        return { ...(name === undefined ? { content: 'done' } : call(name)), usage: [10, 5] as const, cost: 1 }
      })
    const asking = (name: string, ask: (run: ToolContext['run']) => unknown) =>
      tool({ name, description: name, execute: async (_, { run }) => ask(run) })
    const expert = () => createAgent({ name: 'expert', model: calling() })
    const resumed = async (journal: ChatJournal | null) => {
      const later = ChatJournal.load(JSON.parse(JSON.stringify(journal!.saveState())))
      for (const { id } of later.pending) await later.decide(id, { allow: true })
      return later
    }

    it.each([
      ['run', (agent: AssistantAgent, journal?: ChatJournal) => agent.run('go', { journal })],
      ['runStream', (agent: AssistantAgent, journal?: ChatJournal) => agent.runStream('go', { journal }).result],
    ] as const)('%s', async (_face, run) => {
      const clerk = () =>
        createAgent({
          ...{ name: 'clerk', model: calling('ask', 'pay') },
          tools: [asking('ask', async (its) => (await expert().run('why?', { run: its })).text), pay],
        })
      const first = await run(clerk())
      expect(first).toMatchObject({ terminationReason: 'suspended', cost: 3, usage: { totalTokens: 45 } })
      const last = await run(clerk(), await resumed(first.journal))
      expect(last).toMatchObject({ terminationReason: 'answered', cost: 4, usage: { totalTokens: 60 } })
    })

    it('runSync', async () => {
      const ask = tool({
        ...{ name: 'ask', description: 'Asks.' },
        execute: (_, { run }) => expert().runSync('why?', { run }).text,
      })
      const clerk = () => createAgent({ name: 'clerk', model: calling('ask', 'pay'), tools: [ask, pay] })
      const journal = await resumed(clerk().runSync('go').journal)
      expect(clerk().runSync('go', { journal })).toMatchObject({ cost: 4, usage: { totalTokens: 60 } })
    })

    it('at any depth, over several processes, and once', async () => {
      const clerk = () =>
        createAgent({
          ...{ name: 'clerk', model: calling('ask', 'pay') },
          tools: [asking('ask', async (run) => (await expert().run('why?', { run })).text), pay],
        })
      const chief = () =>
        createAgent({
          ...{ name: 'chief', model: calling('delegate', 'pay') },
          tools: [asking('delegate', async (run) => (await clerk().run('go', { run })).text), pay],
        })
      const first = await chief().run('go')
      expect(first).toMatchObject({ terminationReason: 'suspended', cost: 4 })
      const second = await chief().run('go', { journal: await resumed(first.journal) })
      expect(second).toMatchObject({ terminationReason: 'suspended', cost: 6 })
      const last = await chief().run('go', { journal: await resumed(second.journal) })
      expect(last).toMatchObject({ text: 'done', cost: 7, usage: { totalTokens: 105 } })
      expect(paid).toHaveLength(2)
    })
  })

  it('has an identifier of its own beside another one in the same operation', async () => {
    const clerk = createAgent({ name: 'clerk', model: model(), tools: pay })
    const runIds: unknown[] = []
    const desk = new ConversableAgent({
      name: 'desk',
      silent: true,
      functionMap: {
        async refundTwice(_: unknown, { run }: ToolContext) {
          for (const question of ['Refund Ann.', 'Refund Bob.']) {
            const { journal } = await clerk.run(question, { run })
            runIds.push((journal!.saveState().entries[0]!.value as { readonly runId: string }).runId)
          }
        },
      },
    })
    await desk.executeFunction({ name: 'refundTwice', arguments: '{}' })
    expect(new Set(runIds)).toHaveProperty('size', 2)
  })

  it('does not go on without the tool that was decided on', async () => {
    const { journal, pending } = await createAgent({ name: 'clerk', model: model(), tools: pay }).run('Refund.')
    await journal!.decide(pending[0]!.id, { allow: true })
    await expect(createAgent({ name: 'clerk', model: model() }).run('Refund.', { journal })).rejects.toMatchObject({
      code: 'invalid-state',
      message: expect.stringContaining('`clerk` has no such tool') as string,
    })
    expect((await createAgent({ name: 'clerk', model: model() }).run('Refund.', { journal, tools: pay })).text).toBe(
      'done: paid 25',
    )
  })

  it('neither resets nor counts twice what its agent keeps, which serves others meanwhile', async () => {
    const llmConfig = functionModel(({ messages }) => ({
      ...(messages.at(-1)!.role === 'tool' ? { content: 'done' } : call('pay')),
      usage: [10, 5] as const,
      cost: 1,
    }))
    const agent = createAgent({ name: 'clerk', model: llmConfig, tools: pay, contextVariables: { seen: 0 } })
    const { journal, pending, cost } = await agent.run('Ann')
    agent.setContext('seen', 1)
    await agent.run('Bob')
    await journal!.decide(pending[0]!.id, { allow: true })
    const last = await agent.run('Ann', { journal })
    expect([cost, last.cost, agent.getContext('seen')]).toEqual([1, 2, 1])
    expect(agent.getActualUsage()?.totalCost).toBe(3)
    // Another process has not counted it.
    const other = createAgent({ name: 'clerk', model: llmConfig, tools: pay })
    await other.run('Ann', { journal: ChatJournal.load(journal!.saveState()) })
    expect(other.getActualUsage()?.totalCost).toBe(2)
  })

  it('waits for what an agent inside a tool needs, and does nothing twice', async () => {
    const made: string[] = []
    const clerk = createAgent({ name: 'clerk', model: model(), tools: pay })
    const delegate = tool({
      name: 'delegate',
      description: 'Delegates.',
      execute: async (_, { run }) => {
        made.push('delegated')
        return (await clerk.run('Refund.', { run })).text
      },
    })
    const chief = () =>
      createAgent({
        name: 'chief',
        model: functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'all done' : call('delegate'))),
        tools: delegate,
      })
    const first = await chief().run('Go.')
    expect(first.pending).toMatchObject([{ agent: 'clerk', agentPath: ['user', 'clerk'], action: { name: 'pay' } }])
    await first.journal!.decide(first.pending[0]!.id, { allow: false, reason: 'too much' })
    const { text, toolCalls } = await chief().run('Go.', { journal: first.journal })
    expect([text, paid]).toEqual(['all done', []])
    expect(toolCalls[0]!.result).toContain('too much')
    expect(toolCalls[0]!.error).toBeNull()
  })

  it.each(['run', 'runSync'] as const)(
    'waits for the answer to a question of an agent and of a tool: %s',
    async (face) => {
      const ask = tool({
        name: 'ask',
        description: 'Asks.',
        execute: (_, { io }: ToolContext) => io!.input('Which colour?') as string,
      })
      const agent = () =>
        createAgent({
          name: 'painter',
          model: functionModel(({ messages }) =>
            messages.at(-1)!.role === 'tool' ? (messages.at(-1)!.content as string) : call('ask'),
          ),
          tools: ask,
        })
      const first = await agent()[face]('Paint.')
      expect(first.pending.map(({ action }) => action)).toEqual([{ type: 'question', prompt: 'Which colour?' }])
      const { journal, pending } = first
      await expect(journal!.decide(pending[0]!.id, { allow: true })).rejects.toThrow('a question needs an `answer`')
      await journal!.decide(pending[0]!.id, { allow: true, answer: 'blue' })
      expect((await agent()[face]('Paint.', { journal: journal! })).text).toBe('blue')
      const refused = await agent()[face]('Paint.')
      const { id } = refused.pending[0]!
      await expect(refused.journal!.decide(id, { answer: 'blue' } as never)).rejects.toThrow(
        "{ allow: true, answer: '…' }",
      )
      await refused.journal!.decide(id, { allow: false, reason: 'nobody cares' })
      expect((await agent()[face]('Paint.', { journal: refused.journal })).text).toBe('nobody cares')

      const person = new UserProxyAgent({ name: 'person' })
      const asked = await person[face]('Who are you?')
      expect(asked.pending).toMatchObject([{ action: { type: 'question', prompt: expect.stringContaining('reply') } }])
      await asked.journal!.decide(asked.pending[0]!.id, { allow: true, answer: 'Ann' })
      expect((await person[face]('Who are you?', { journal: asked.journal! })).text).toBe('Ann')
    },
  )

  it('asks the person of the run, or of the chat that it is part of', async () => {
    const io = recordingIo(['', 'yes', ''])
    const agent = createAgent({ name: 'clerk', model: model(), tools: pay, io })
    expect((await agent.run('Refund.', { userInput: true })).text).toBe('done: paid 25')
    expect(io.prompts).toEqual([expect.anything(), expect.stringContaining('pay({"euros":25})'), expect.anything()])
    const attended = recordingIo(['yes'])
    const clerk = createAgent({ name: 'clerk', model: model(), tools: pay, io: attended })
    const delegate = async (_: unknown, { run }: ToolContext): Promise<string> =>
      (await clerk.run('Refund.', { run })).text
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', functionMap: { delegate }, silent: true })
    const chief = new AssistantAgent({
      name: 'chief',
      llmConfig: scriptedModel([call('delegate'), 'ok']),
      silent: true,
    })
    const { chatHistory } = await user.initiateChat(chief, { message: 'Go.', maxTurns: 2 })
    expect(chatHistory[2]!.content).toBe('done: paid 25')
  })

  it('has no value where it should give a result, and goes on like any other', async () => {
    const llmConfig = functionModel(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? '{"sum": 25}' : call('pay', { euros: 25 }),
    )
    const agent = createAgent({ name: 'clerk', model: llmConfig, tools: pay })
    const options = { result: { type: 'object' } }
    const first = await agent.run('Refund.', options)
    expect(first).toMatchObject({ terminationReason: 'suspended', pending: [{ action: { name: 'pay' } }] })
    expect(() => first.result).toThrow(expect.objectContaining({ code: 'suspended' }))
    expect(JSON.parse(JSON.stringify(first))).toMatchObject({ terminationReason: 'suspended' })
    const { journal } = first
    await journal!.decide(journal!.pending[0]!.id, { allow: true })
    expect((await agent.run('Refund.', { ...options, journal })).result).toEqual({ sum: 25 })
  })
})

describe('a run as a stream', () => {
  const model = () => scriptedModel([{ ...call('look_up'), content: 'Let me see.' }, 'It is cold in Oslo.'])
  const agent = () => createAgent({ name: 'assistant', model: model(), tools: lookUp })

  it('has the texts of its answers, and its result', async () => {
    const stream = agent().runStream('Oslo?')
    let text = ''
    for await (const piece of stream.textStream) text += piece
    expect(text).toBe('Let me see.\n\nIt is cold in Oslo.')
    expect((await stream.result).text).toBe('It is cold in Oslo.')
    expect(() => stream[Symbol.asyncIterator]()).toThrow('a stream is read once')
  })

  it('has a sign whole that a model writes in two pieces', async () => {
    const piece = (text: string) => ({ type: 'textDelta', index: 0, text }) as const
    const end = { type: 'finish', index: 0, reason: 'stop' } as const
    const stream = [piece('a\uD83D'), piece('\uDE00'), piece('b\uD83D'), end]
    const split = createAgent({ name: 'split', model: functionModel(() => ({ stream })) })
    const pieces: string[] = []
    for await (const each of split.runStream('x').textStream) pieces.push(each)
    expect(pieces).toEqual(['a', '\u{1F600}', 'b', '\uD83D'])
    expect(await (await split.runStream('x').toTextResponse()).text()).toBe('a\u{1F600}b\uFFFD')
  })

  it('has a text that no model wrote as well', async () => {
    const other = new ConversableAgent({ name: 'other', humanInputMode: 'NEVER', defaultAutoReply: 'ready-made' })
    const pieces: string[] = []
    for await (const piece of other.runStream('x').textStream) pieces.push(piece)
    expect(pieces).toEqual(['ready-made'])
  })

  it('has nothing of agents inside its tools', async () => {
    const expert = createAgent({ name: 'assistant', model: scriptedModel(['inner']) })
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      execute: async (_, { run }) => (await expert.run('x', { run })).text,
    })
    const outer = createAgent({ name: 'assistant', model: scriptedModel([call('ask'), 'outer']), tools: ask })
    let text = ''
    for await (const piece of outer.runStream('x').textStream) text += piece
    expect(text).toBe('outer')
  })

  it('is a response of a server, and stops when the client goes away', async () => {
    const response = await agent()
      .runStream('Oslo?')
      .toTextResponse({ status: 201, headers: { 'x-own': '1' } })
    expect([response.status, response.headers.get('x-own'), response.headers.get('content-type')]).toEqual([
      201,
      '1',
      'text/plain; charset=utf-8',
    ])
    expect(await response.text()).toBe('Let me see.\n\nIt is cold in Oslo.')
    const stream = agent().runStream('Oslo?')
    const reader = (await stream.toTextResponse()).body!.getReader()
    await reader.read()
    await reader.cancel()
    await expect(stream.result).rejects.toMatchObject({ code: 'aborted', name: 'AbortError' })
  })

  it('fails its reader when it fails', async () => {
    const failing = createAgent({ name: 'a', model: functionModel(() => Promise.reject(new Error('boom'))) })
    await expect(failing.runStream('x').toTextResponse()).rejects.toThrow('boom')
    const half = { type: 'textDelta', index: 0, text: 'Half ' } as const
    const breaking = createAgent({
      name: 'a',
      model: functionModel(() => ({ stream: [half], error: new Error('boom') })),
    })
    const response = await breaking.runStream('x').toTextResponse()
    await expect(response.text()).rejects.toThrow('boom')
  })

  it('is an empty response without a text', async () => {
    const silent = createAgent({
      name: 'a',
      model: scriptedModel([call('pay')]),
      tools: { ...lookUp, name: 'pay', needsApproval: true },
    })
    const stream = silent.runStream('x')
    expect(await (await stream.toTextResponse()).text()).toBe('')
    expect((await stream.result).terminationReason).toBe('suspended')
  })
})

describe('an agent that cannot answer', () => {
  it.each<[string, () => unknown]>([
    ['run', () => new AssistantAgent({ name: 'a', silent: true }).run('x')],
    ['runSync', async () => new AssistantAgent({ name: 'a' }).runSync('x')],
    ['run with tools', () => new AssistantAgent({ name: 'a' }).use(lookUp).run('x')],
    ['run of the reference', () => new AssistantAgent({ name: 'a' }).run('x', { ...ag2Run })],
    [
      'initiateChat',
      () =>
        new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER' }).initiateChat(new AssistantAgent({ name: 'a' }), {
          message: 'x',
        }),
    ],
  ])('is refused by %s', async (_, start) => {
    await expect(start()).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('`a` cannot answer: it has no model') as string,
    })
  })

  it('is none where a person answers for it at its limit or at the end', () => {
    const io = { send: () => {}, input: () => 'typed' }
    const [user, a] = [
      new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent: true }),
      new ConversableAgent({ name: 'a', humanInputMode: 'TERMINATE', maxConsecutiveAutoReply: 0, io, silent: true }),
    ]
    expect(user.initiateChatSync(a, { message: 'x', maxTurns: 1 }).summary).toBe('typed')
  })

  it('is none with a reply of its own', async () => {
    const agent = new ConversableAgent({ name: 'a', humanInputMode: 'NEVER' })
    agent.registerReply('user', () => [true, 'hi'])
    expect((await agent.run('x')).text).toBe('hi')
  })
})
