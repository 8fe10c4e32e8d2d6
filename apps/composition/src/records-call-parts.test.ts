import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, type RunResult, Steering, tool, UserProxyAgent } from '@x/agent'
import { fit, limitMessages, pin } from '@x/history'
import { llmConfig } from '@x/model'
import { createAnthropic } from '@x/provider-anthropic'
import { createGoogle } from '@x/provider-google'
import { createOpenAI } from '@x/provider-openai'
import {
  compareRuns,
  type KeptRun,
  openRecords,
  readFixture,
  type Records,
  type RepeatedProgram,
  replay,
} from '@x/records'
import { ReasoningAgent } from '@x/reasoning'
import { functionModel, scriptedProvider } from '@x/testing'
import { startBatchServer } from '@x/testing/wire'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { quiet } from './records-world.fake.ts'

let dir: string
let records: Records

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  records = openRecords(join(dir, 'runs.db'))
})

afterEach(() => {
  records.close()
  rmSync(dir, { recursive: true, force: true })
})

async function theRun(): Promise<KeptRun> {
  const [info] = await records.list()
  return (await records.read(info!.runId))!
}

type Answer = Parameters<typeof functionModel>[0]

const NOBODY: Answer = () => {
  throw new Error('a model was asked in a replay')
}

/** Reads a page; meanwhile somebody steers the run. */
async function readPage(options: object, answer: Answer, { text = 'In French, please.', system = 'You read.' } = {}) {
  const steering = new Steering()
  const page = tool({
    name: 'page',
    description: 'A page.',
    parameters: z.object({}),
    async execute() {
      void steering.steer(text)
      return 'Lamps glow.'
    },
  })
  const reader = new AssistantAgent({
    name: 'reader',
    systemMessage: system,
    llmConfig: functionModel(answer),
    silent: true,
  })
  return await reader.run('What is new?', { tools: [page], steering, ...options })
}

const CALL = {
  tool_calls: [
    { id: 'call_0123456789abcdefghijklmnop', type: 'function' as const, function: { name: 'go', arguments: '{}' } },
  ],
}

const readerModel: Answer = ({ messages }) =>
  messages.length > 2
    ? `I was told: ${messages.at(-1)!.content as string}`
    : { tool_calls: [{ id: 'a', type: 'function', function: { name: 'page', arguments: '{}' } }] }

it('a steered run is repeated with its messages, whoever steers today', async () => {
  const { text } = await readPage({ tracer: records }, readerModel)
  expect(text).toBe('I was told: In French, please.')
  const run = await theRun()
  expect(run.calls.at(-1)!.input['messages']).toContainEqual({ role: 'user', content: 'In French, please.' })
  expect(await replay(run, (options) => readPage(options, NOBODY))).toEqual({ outcome: 'same' })
  // The tool is not called in the replay, and so nobody steers.
  expect(await replay(run, (options) => readPage(options, NOBODY, { text: 'In Dutch.' }))).toEqual({ outcome: 'same' })
  expect(await replay(run, (options) => readPage(options, NOBODY, { system: 'You refuse.' }))).toMatchObject({
    outcome: 'differs',
    difference: { path: 'model.messages.0.content' },
  })
})

it('a steered chat is repeated, and a change behind its message is found', async () => {
  const chat = async (options: object, answer: Answer, greeting = 'Hello.'): Promise<unknown> => {
    const steering = new Steering()
    void steering.steer('Be brief.')
    const person = new UserProxyAgent({
      name: 'person',
      humanInputMode: 'NEVER',
      silent: true,
      codeExecutionConfig: false,
    })
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(answer), silent: true })
    return await person.initiateChat(clerk, { message: greeting, maxTurns: 2, steering, ...options })
  }
  await chat({ tracer: records }, ({ messages }) => `${messages.length} messages`)
  const run = await theRun()
  expect(await replay(run, (options) => chat(options, NOBODY))).toEqual({ outcome: 'same' })
  expect(await replay(run, (options) => chat(options, NOBODY, 'Goodbye.'))).toMatchObject({ outcome: 'differs' })
})

it.each([
  ['in the background', { api: 'responses', background: true }],
  ['in a batch', { batch: true }],
] as const)('a run whose answers were made %s is repeated without its vendor', async (_, more) => {
  const server = await startBatchServer({ vendor: 'openai', outcomeOf: () => ({ text: 'Long thought.' }) })
  let now = 0
  const sleep = async (ms: number): Promise<void> => {
    await new Promise(setImmediate)
    now += ms
  }
  const openai = createOpenAI({ clock: { sleep, random: () => 0.5 } })
  const think: RepeatedProgram = async (options) => {
    const config = llmConfig({
      ...{ providers: [openai], runtime: { now: () => now }, cacheSeed: null },
      configList: [{ model: 'gpt-5.5', apiType: 'openai', baseUrl: server.url, apiKey: 'k', ...more }],
    })
    const thinker = new AssistantAgent({ name: 'thinker', llmConfig: config, silent: true })
    return await thinker.run('Think long.', options)
  }
  const { text } = (await think({ tracer: records } as never, {} as never)) as { readonly text: unknown }
  expect(text).toBe('Long thought.')
  const run = await theRun()
  const asked = server.requests.length
  await server.close()
  expect(await replay(run, think)).toEqual({ outcome: 'same' })
  expect(server.requests).toHaveLength(asked)
})

it('a difference names who has said or asked what the record does not have', async () => {
  const chat = async (options: object, maxTurns: number, reply: string, answer = NOBODY): Promise<unknown> => {
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(answer), io: quiet })
    const never = { humanInputMode: 'NEVER', codeExecutionConfig: false, io: quiet } as const
    const person = new UserProxyAgent({ name: 'person', ...never, defaultAutoReply: reply })
    return await person.initiateChat(clerk, { message: 'Go.', summaryMethod: null, maxTurns, ...options })
  }
  await chat({ tracer: records }, 2, 'On.', () => 'Yes.')
  const run = await theRun()
  expect(await replay(run, (options) => chat(options, 2, 'Off.'))).toMatchObject({
    difference: { place: '1', agentPath: ['person'], path: 'receivedMessage.message.content', now: 'Off.' },
    text: expect.stringContaining('`1` (person) in') as string,
  })
  expect(await replay(run, (options) => chat(options, 3, 'On.'), { ignore: ['chatStart'] })).toMatchObject({
    difference: { place: '1', agentPath: ['person'], path: 'receivedMessage' },
  })
  const ignore = ['chatStart', 'receivedMessage']
  expect(await replay(run, (options) => chat(options, 3, 'On.'), { ignore })).toMatchObject({
    difference: { place: '1.3', agentPath: ['clerk'], path: 'model', recorded: undefined },
  })
})

it('whatever may differ, nobody is asked what the record does not answer', async () => {
  const chat = async (options: object, maxTurns: number, answer = NOBODY): Promise<unknown> => {
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(answer), silent: true })
    const person = new UserProxyAgent({
      ...{ name: 'person', humanInputMode: 'NEVER', silent: true, codeExecutionConfig: false, defaultAutoReply: 'On.' },
    })
    return await person.initiateChat(clerk, { message: 'Go.', maxTurns, ...options })
  }
  await chat({ tracer: records }, 2, () => 'Yes.')
  const run = await theRun()
  let asked = 0
  const longer: RepeatedProgram = (options) => chat(options, 3, () => `Yes, for time ${++asked}.`)
  for (const ignore of [['*'], ['chatStart', 'chatEnd', 'receivedMessage', 'model']]) {
    expect(await replay(run, longer, { ignore })).toMatchObject({
      outcome: 'differs',
      difference: { place: '1.3', path: 'model', recorded: undefined },
    })
  }
  expect(asked).toBe(0)
  // A call that is missing may differ: nobody has to answer it.
  expect(await replay(run, (options) => chat(options, 1), { ignore: ['*'] })).toEqual({ outcome: 'same' })
})

it('a tool that waited for a decision is called again if tools are, and compared', async () => {
  const ask = async (options: object, prompt: string, answer = NOBODY): Promise<RunResult> => {
    const agent = (name: string, systemMessage: string): AssistantAgent =>
      new AssistantAgent({ name, systemMessage, llmConfig: functionModel(answer), silent: true })
    const parameters = z.object({})
    const pay = tool({ name: 'pay', description: 'Pays.', parameters, needsApproval: true, execute: () => 'paid' })
    const tools = tool({
      ...{ name: 'clerk', description: 'Asks the clerk.', parameters },
      execute: async (_, { run }) => (await agent('clerk', prompt).run('Pay.', { tools: pay, run })).text,
    })
    return await agent('chief', 'You lead.').run('Pay.', { tools, ...options })
  }
  const calling: Answer = ({ agent }) => ({
    tool_calls: [
      { id: 'a', type: 'function', function: { name: agent === 'chief' ? 'clerk' : 'pay', arguments: '{}' } },
    ],
  })
  expect((await ask({ tracer: records }, 'You pay.', calling)).terminationReason).toBe('suspended')
  const run = await theRun()
  for (const make of [[], ['tool']] as const) {
    expect(await replay(run, (options) => ask(options, 'You pay.'), { make })).toEqual({ outcome: 'same' })
  }
  expect(await replay(run, (options) => ask(options, 'You refuse.'), { make: ['tool'] })).toMatchObject({
    difference: { path: 'model.messages.0.content', recorded: 'You pay.', now: 'You refuse.' },
  })
})

it('a schema whose properties have another order is another request', async () => {
  const ask = async (options: object, keys: readonly string[], answer: Answer = NOBODY): Promise<unknown> => {
    const parameters = z.object(Object.fromEntries(keys.map((key) => [key, z.string()])))
    const note = tool({ name: 'note', description: 'Takes a note.', parameters, execute: () => '' })
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(answer), silent: true })
    return await clerk.run('Note.', { tools: note, ...options })
  }
  const keys = ['reasoning', 'answer']
  await ask({ tracer: records }, keys, () => 'Noted.')
  const run = await theRun()
  expect(await replay(run, (options) => ask(options, keys))).toEqual({ outcome: 'same' })
  expect(await replay(run, (options) => ask(options, keys.toReversed()))).toMatchObject({
    outcome: 'differs',
    difference: { place: '1.1', recorded: keys, now: keys.toReversed() },
  })
})

describe('a run that is given earlier messages', () => {
  const EARLIER = ['How much is tea?', 'Three.'] as const

  const go = async (
    options: object,
    { earlier = EARLIER, question = 'And coffee?', answer = NOBODY }: GivenParts = {},
  ): Promise<unknown> => {
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(answer), silent: true })
    const roles = ['user', 'assistant'] as const
    const messages = earlier.map((content, index) => ({ role: roles[index % 2]!, content }))
    return await clerk.run([...messages, { role: 'user', content: question }], options)
  }

  interface GivenParts {
    readonly earlier?: readonly string[]
    readonly question?: string
    readonly answer?: Answer
  }

  it.each<[string, GivenParts, object]>([
    [
      'message',
      { earlier: ['How much is milk?', 'Three.'] },
      { place: '1.0', path: 'begin.messages.0.content', recorded: EARLIER[0], now: 'How much is milk?' },
    ],
    ['answer', { earlier: [EARLIER[0], 'Four.'] }, { path: 'begin.messages.1.content', now: 'Four.' }],
    ['number', { earlier: [EARLIER[0]] }, { path: 'begin.messages.1', now: undefined }],
    ['question', { question: 'And milk?' }, { path: 'chatStart.message.content' }],
  ])('differs in another %s', async (_, change, difference) => {
    await go({ tracer: records }, { answer: () => 'Four.' })
    const run = await theRun()
    expect(await replay(run, (options) => go(options))).toEqual({ outcome: 'same' })
    expect(await replay(run, (options) => go(options, change))).toMatchObject({
      outcome: 'differs',
      difference,
    })
  })

  it('is repeated with those of the record where it is given none, and with times of its own', async () => {
    const earlier = (time: number): readonly string[] => [`It is ${new Date(time).toISOString()}.`, 'Yes.']
    await go({ tracer: records }, { earlier: earlier(Date.now()), answer: () => 'Four.' })
    const run = await theRun()
    expect(await replay(run, (options) => go(options, { earlier: [] }))).toEqual({
      outcome: 'same',
    })
    const later = earlier(Date.now() + 20)
    expect(await replay(run, (options) => go(options, { earlier: later }))).toEqual({
      outcome: 'same',
    })
  })

  it('is compared after it has waited for a decision, in which its journal has the messages', async () => {
    const charge = async (options: object, text: string, answer = NOBODY): Promise<RunResult> => {
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        parameters: z.object({}),
        needsApproval: true,
        execute: () => 'paid',
      })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(answer), silent: true })
      const messages = [text, 'Three.', 'Pay.'].map((content, index) => ({
        role: index === 1 ? ('assistant' as const) : ('user' as const),
        content,
      }))
      return await clerk.run(messages, { tools: pay, ...options })
    }
    const answer: Answer = ({ messages }) =>
      messages.at(-1)!.role === 'tool'
        ? 'Done.'
        : { tool_calls: [{ id: 'a', type: 'function', function: { name: 'pay', arguments: '{}' } }] }
    const { journal, pending } = await charge({ tracer: records }, EARLIER[0], answer)
    await journal!.decide(pending[0]!.id, { allow: true })
    const { text } = await charge({ tracer: records, journal }, EARLIER[0], answer)
    expect(text).toBe('Done.')
    const run = await theRun()
    expect(await replay(run, (options) => charge(options, EARLIER[0]))).toEqual({ outcome: 'same' })
    expect(await replay(run, (options) => charge(options, 'How much is milk?'))).toMatchObject({ outcome: 'differs' })
  })
})

it('a record of a release that did not know the options of views is repeated without them', async () => {
  const ask = async (options: object, pinned: number, answer: Answer = NOBODY): Promise<unknown> => {
    const history = fit(limitMessages(4), pin(pinned))
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(answer), silent: true, history })
    return await clerk.run('Hello?', options)
  }
  await ask({ tracer: records }, 1, () => 'Yes.')
  const run = await theRun()
  const path = 'model.view.views.1.messages'
  expect(await replay(run, (options) => ask(options, 2))).toMatchObject({ difference: { path, recorded: 1, now: 2 } })
  const text = await records.export(run.info.runId)
  const before = text.replace(/,"views":\[[^\]]*\]/u, '')
  expect(before).not.toBe(text)
  const file = join(dir, 'before.run')
  writeFileSync(file, before)
  const earlier = readFixture(file)
  expect(await replay(earlier, (options) => ask(options, 2))).toEqual({ outcome: 'same' })
  expect(compareRuns(earlier, run)).toEqual({ outcome: 'same' })
})

describe('a search', () => {
  const think = async (options: object, changed: ReasonParts = {}, answer = NOBODY): Promise<unknown> => {
    const { prompt: systemMessage = 'Think.', forestSize = 1, ...method } = changed
    const reasonConfig = { method: 'beam_search', maxDepth: 2, beamSize: 1, forestSize, ...method } as const
    const llm = functionModel(answer)
    const person = new UserProxyAgent({ name: 'person', humanInputMode: 'NEVER', silent: true, io: quiet })
    const thinker = new ReasoningAgent({ name: 'thinker', systemMessage, llmConfig: llm, silent: true, reasonConfig })
    return await person.initiateChat(thinker, { message: 'Pay 20.', maxTurns: 1, ...options })
  }

  interface ReasonParts {
    readonly prompt?: string
    readonly maxDepth?: number
    readonly ratingScale?: number
    readonly forestSize?: number
  }

  const thinks: Answer = ({ agent }) => (agent === 'tot_thinker' ? 'Option 1: one\nOption 2: two' : 'Rating: 5')

  it.each<[string, ReasonParts, object]>([
    ['depth', { maxDepth: 3 }, { path: 'job.options.method.maxDepth', recorded: 2, now: 3 }],
    ['prompt', { prompt: 'Guess.' }, { path: 'job.options.part.systemMessage', recorded: 'Think.', now: 'Guess.' }],
    ['scale', { ratingScale: 5 }, { path: 'job.options.part.ratingScale', recorded: 10, now: 5 }],
    ['depth of its trees', { forestSize: 2, maxDepth: 3 }, { path: 'job.options.method.method.maxDepth', now: 3 }],
  ])('names another %s, and a record of a release that did not is repeated', async (_, changed, difference) => {
    const same = changed.forestSize ? { forestSize: changed.forestSize } : {}
    await think({ tracer: records }, same, thinks)
    const run = await theRun()
    expect(await replay(run, (options) => think(options, same))).toEqual({ outcome: 'same' })
    expect(await replay(run, (options) => think(options, changed))).toMatchObject({ outcome: 'differs', difference })
    const text = await records.export(run.info.runId)
    const file = join(dir, 'before.run')
    writeFileSync(file, text.replaceAll(/,"options":\{"v":\d+\}(?=,"by")/gu, ''))
    const earlier = readFixture(file)
    expect(await replay(earlier, (options) => think(options, same))).toEqual({ outcome: 'same' })
    expect(compareRuns(earlier, run)).toEqual({ outcome: 'same' })
    expect(await replay(earlier, (options) => think(options, changed))).toMatchObject({
      difference: { path: expect.stringMatching(/^job\.by\./u) as string },
    })
  })
})

it('a run of short texts is repeated, however few characters a text may have', async () => {
  const clerk: RepeatedProgram = async (options) => {
    const model = functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'Done.' : CALL))
    const go = tool({ name: 'go', description: 'Go.', parameters: z.object({}), execute: () => 'gone' })
    const agent = new AssistantAgent({ name: 'clerk', systemMessage: 'Go.', llmConfig: model, silent: true })
    return await agent.run('Go.', { tools: go, ...options })
  }
  const short = openRecords({ file: join(dir, 'short.db'), maxContent: 24 })
  await clerk({ tracer: short } as never, {} as never)
  const [info] = await short.list()
  expect(info!.problem).toBeNull()
  expect(await replay((await short.read(info!.runId))!, clerk)).toEqual({ outcome: 'same' })
  short.close()
})

it('a single reply says in lists and replays why it cannot be repeated', async () => {
  const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => 'Hi.'), silent: true })
  const ask: RepeatedProgram = ({ tracer }) =>
    clerk.generateReply({ messages: [{ role: 'user', content: 'Hello.' }], tracer })
  await ask({ tracer: records } as never, {} as never)
  const [info] = await records.list()
  expect(info!.problem).toMatch(/single `generateReply`.*start it inside a run/u)
  const text = `the run cannot be repeated: ${info!.problem}`
  expect(await replay(await theRun(), ask)).toEqual({ outcome: 'cannot', text })
})

it.each([
  ['auto', { outcome: 'same' }],
  [
    'responses',
    { outcome: 'differs', difference: { agentPath: ['clerk'], path: 'model.settings.0.api', now: 'responses' } },
  ],
])('a config that then asks for the API `%s` is compared', async (api, report) => {
  const message = { role: 'assistant', content: 'Hi.' }
  const answer = { id: '1', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const openai = createOpenAI({ fetch: async () => await Promise.resolve(Response.json(answer)) })
  const greet =
    (more: object): RepeatedProgram =>
    async (options) => {
      const entry = { model: 'gpt-5-mini', apiKey: 'k', ...more }
      const config = llmConfig({ providers: [openai], cacheSeed: null, configList: [entry] })
      return await new AssistantAgent({ name: 'clerk', llmConfig: config, silent: true }).run('Hello.', options)
    }
  await greet({ api: undefined })({ tracer: records } as never, {} as never)
  expect(await replay(await theRun(), greet({ api }))).toMatchObject(report)
})

it.each<[string, unknown]>([
  ['cachedContent', 'cachedContents/1'],
  ['generationConfig', { topK: 4 }],
  ['safetySettings', [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]],
  ['thinkingConfig', { thinkingBudget: 0 }],
])('a parameter `%s` that stands in a config is compared', async (key, value) => {
  const answer = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }] }
  const google = createGoogle({ fetch: async () => await Promise.resolve(Response.json(answer)) })
  const greet =
    (more: object): RepeatedProgram =>
    async (options) => {
      const entry = { model: 'gemini-2.5-flash', apiType: 'google', apiKey: 'k', sdk: 'fetch', ...more }
      const config = llmConfig({ providers: [google], cacheSeed: null, configList: [entry] })
      return await new AssistantAgent({ name: 'clerk', llmConfig: config, silent: true }).run('Hello.', options)
    }
  await greet({})({ tracer: records } as never, {} as never)
  expect(await replay(await theRun(), greet({ sdk: undefined }))).toEqual({ outcome: 'same' })
  const difference = { path: `model.settings.0.${key}`, recorded: undefined, now: value }
  expect(await replay(await theRun(), greet({ [key]: value }))).toMatchObject({ outcome: 'differs', difference })
})

it('configs in another order differ in their models, before all parameters', async () => {
  const one = { model: 'one', temperature: 0 }
  const greet =
    (...configList: object[]): RepeatedProgram =>
    async (options) => {
      const entries = configList.map((entry) => ({ apiType: 'scripted', ...entry }))
      const config = llmConfig({ providers: [scriptedProvider(() => 'Hi.')], cacheSeed: null, configList: entries })
      return await new AssistantAgent({ name: 'clerk', llmConfig: config, silent: true }).run('Hello.', options)
    }
  await greet(one, { model: 'two' })({ tracer: records } as never, {} as never)
  expect(await replay(await theRun(), greet({ model: 'two' }, one))).toMatchObject({
    difference: { path: 'model.settings.0.model', recorded: 'one', now: 'two' },
  })
})

it('a prompt cache is compared, and one that is off is none', async () => {
  const answer = { id: '1', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Hi.' }] }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const reply = { ...answer, stop_reason: 'end_turn', usage }
  const anthropic = createAnthropic({ fetch: async () => await Promise.resolve(Response.json(reply)) })
  const greet =
    (more: object): RepeatedProgram =>
    async (options) => {
      const entry = { model: 'claude-sonnet-4-5', apiType: 'anthropic', apiKey: 'k', ...more }
      const config = llmConfig({ providers: [anthropic], cacheSeed: null, configList: [entry] })
      return await new AssistantAgent({ name: 'clerk', llmConfig: config, silent: true }).run('Hello.', options)
    }
  await greet({})({ tracer: records } as never, {} as never)
  expect(await replay(await theRun(), greet({ promptCache: false }))).toEqual({ outcome: 'same' })
  const difference = { path: 'model.settings.0.promptCache', recorded: undefined, now: '1h' }
  expect(await replay(await theRun(), greet({ promptCache: '1h' }))).toMatchObject({ outcome: 'differs', difference })
})

describe('a tool that asks for vectors and counts tokens', () => {
  let asked = 0
  const openai = createOpenAI({
    fetch: async (_, init) => {
      asked++
      const { input } = JSON.parse(init!.body as string) as { readonly input: readonly string[] }
      const data = input?.map((text, index) => ({ index, embedding: [text.length, 1] }))
      const usage = { prompt_tokens: 3, total_tokens: 3 }
      return await Promise.resolve(Response.json({ data, usage, model: 'm', input_tokens: 9 }))
    },
  })
  const looksUp =
    ({ text = 'tea', dimensions = 2, counted = 'tea' } = {}): RepeatedProgram =>
    async (options) => {
      const models = llmConfig({ providers: [openai], configList: [{ model: 'text-embedding-3-small', apiKey: 'k' }] })
      const model = models.with({ cacheSeed: null }).createModel()
      const look = tool({
        ...{ name: 'look', description: 'Looks up.', parameters: z.object({}) },
        execute: async (_, { run }) => {
          const { embeddings } = await model.embed({ input: [text], dimensions }, { run })
          const { promptTokens } = await model.countTokens({ messages: [{ role: 'user', content: counted }] }, { run })
          return `${embeddings.length} and ${promptTokens}`
        },
      })
      const llm = functionModel(({ messages }) =>
        messages.at(-1)!.role === 'tool'
          ? 'Found.'
          : { tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] },
      )
      return await new AssistantAgent({ name: 'clerk', llmConfig: llm, silent: true }).run('Tea?', {
        tools: look,
        ...options,
      })
    }

  it('asks nobody again where tools are called, and what it asks is compared', async () => {
    await looksUp()({ tracer: records } as never, {} as never)
    const run = await theRun()
    expect(run.info.spent).toMatchObject([
      { model: 'm', calls: 1, promptTokens: 3, unpriced: 1 },
      { model: 'scripted' },
    ])
    asked = 0
    const make = ['tool'] as const
    expect(await replay(run, looksUp(), { make })).toEqual({ outcome: 'same' })
    for (const [change, path] of [
      [{ text: 'cake' }, 'tool.input.0'],
      [{ dimensions: 3 }, 'tool.settings.0.dimensions'],
      [{ counted: 'cake' }, 'tool.messages.0.content'],
    ] as const)
      expect(await replay(run, looksUp(change), { make })).toMatchObject({ outcome: 'differs', difference: { path } })
    expect(asked).toBe(0)
  })

  it('is repeated by a record of a release that did not tell what it asks', async () => {
    await looksUp()({ tracer: records } as never, {} as never)
    const kept = await theRun()
    const isOld = ({ name }: { readonly name: string | null }): boolean => name === 'embed' || name === 'countTokens'
    const run = { ...kept, calls: kept.calls.filter((call) => !isOld(call)) }
    expect(await replay(run, looksUp())).toEqual({ outcome: 'same' })
    expect(await replay(run, looksUp(), { make: ['tool'] })).toEqual({ outcome: 'same' })
  })
})
