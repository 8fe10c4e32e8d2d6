import { AssistantAgent, createAgent, tool, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { fit, limitTokens, summarize } from '@x/history'
import { createHost, defineChat, sqlite } from '@x/host'
import { createMemoryCache, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { ReasoningAgent } from '@x/reasoning'
import { startFakeOpenAI } from '@x/testing'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ANSWER, QUESTION } from './default-storage.fake.ts'

const DOCUMENT = 'docs/what-may-cost-you.md'
const root = join(import.meta.dirname, '../../..')
const text = await readFile(join(root, DOCUMENT), 'utf8')

/** Rows of the table under a heading, each as its cells. */
function rowsUnder(heading: string): string[][] {
  const [, part = ''] = text.split(`\n## ${heading}\n`)
  const lines = part
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

type LlmConfigOptions = Exclude<Parameters<typeof llmConfig>[0], readonly unknown[]>
type Replies = NonNullable<NonNullable<Parameters<typeof startFakeOpenAI>[0]>['replies']>

const io = { send: () => {}, input: () => '' }
const SAYS_YES = () => 'Yes.'
const OVERLOADED = { failure: '503', headers: { 'retry-after-ms': '1' } } as const

/** Counts the requests that reach a server. */
async function count(
  replies: Replies,
  act: (models: (options?: Partial<LlmConfigOptions>) => ReturnType<typeof llmConfig>) => Promise<unknown>,
): Promise<number> {
  const server = await startFakeOpenAI({ replies, whenEmpty: 'cycle' })
  onTestFinished(() => server.close())
  await act((options = {}) =>
    llmConfig({
      ...{ providers: [openai], configList: [{ model: 'm' }], baseUrl: server.url, apiKey: 'k', price: [1, 1] },
      ...{ cacheSeed: null, io, ...options },
    }),
  )
  return server.requests.length
}

const MESSAGES = [{ role: 'user' as const, content: 'Hi' }]

const ask = async (options?: Partial<LlmConfigOptions>): Promise<number> =>
  await count(
    [OVERLOADED],
    async (models) =>
      await models(options)
        .createModel()
        .create({ messages: MESSAGES })
        .catch(() => {}),
  )

const equalCalls = async (options: Partial<LlmConfigOptions>): Promise<number> =>
  await count(SAYS_YES, async (models) => {
    const model = models({ defaultCache: () => createMemoryCache(), ...options }).createModel()
    await model.create({ messages: MESSAGES })
    await model.create({ messages: MESSAGES })
  })

const typed = async (options: { resultRepairs?: number }): Promise<number> =>
  await count(SAYS_YES, async (models) => {
    const agent = createAgent({ name: 'a', model: models(), io })
    const result = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    await agent.run('Hi', { result, ...options }).catch(() => {})
  })

const tools = async (options: { maxTurns?: number }): Promise<number> =>
  await count(
    ({ index }) =>
      index < 30 ? { tool_calls: [{ id: `c${index}`, function: { name: 'look', arguments: '{}' } }] } : 'Done.',
    async (models) => {
      const look = tool({
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object' },
        execute: () => 'nothing',
      })
      await createAgent({ name: 'a', model: models(), tools: look, io }).run('Hi', options)
    },
  )

const summarized = async (summaryMethod: 'last_msg' | 'reflection_with_llm' | undefined): Promise<number> =>
  await count(SAYS_YES, async (models) => {
    const agent = new AssistantAgent({ name: 'a', llmConfig: models(), io })
    const user = new UserProxyAgent({ name: 'u', humanInputMode: 'NEVER', io })
    await user.initiateChat(agent, { message: 'Hi', maxTurns: 1, ...(summaryMethod && { summaryMethod }) })
  })

const group = async (speakerSelectionMethod?: 'round_robin'): Promise<number> =>
  await count(
    ({ messages }) => (JSON.stringify(messages).includes('select the next role') ? 'ann' : 'Yes.'),
    async (models) => {
      const agents = ['ann', 'bob', 'cy'].map((name) => new AssistantAgent({ name, llmConfig: models(), io }))
      const groupchat = new GroupChat({
        agents,
        maxRound: 4,
        ...(speakerSelectionMethod && { speakerSelectionMethod }),
      })
      const manager = new GroupChatManager({ groupchat, llmConfig: models(), io })
      const user = new UserProxyAgent({ name: 'u', humanInputMode: 'NEVER', io })
      await user.initiateChat(manager, { message: 'Hi' })
    },
  )

const reasoned = async (options: object): Promise<number> =>
  await count(
    ({ messages }) => {
      const said = JSON.stringify(messages)
      return /next step/u.test(said)
        ? 'Option 1: left\nOption 2: right'
        : /rate/iu.test(said)
          ? 'Rating: 3'
          : 'It is 42.'
    },
    async (models) => {
      const agent = new ReasoningAgent({ name: 'a', llmConfig: models(), silent: true, ...options })
      const user = new UserProxyAgent({ name: 'u', humanInputMode: 'NEVER', io })
      await user.initiateChat(agent, { message: 'How many?', maxTurns: 1 })
    },
  )

const cut = async (history: ReturnType<typeof fit>): Promise<number> =>
  await count(SAYS_YES, async (models) => {
    const earlier = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 ? ('assistant' as const) : ('user' as const),
      content: 'Word by word. '.repeat(20),
    }))
    await createAgent({ name: 'a', model: models(), history, io }).run([...earlier, { role: 'user', content: 'Hi' }])
  })

/** Counts the requests for vectors that two calls of `embed` send. */
async function embedded(options: Partial<LlmConfigOptions>, input: string | readonly string[]): Promise<number> {
  let requests = 0
  const fetch: typeof globalThis.fetch = async (_, init) => {
    requests++
    const { input: texts } = JSON.parse(init?.body as string) as { input: string[] }
    const data = texts.map((_text, index) => ({ index, embedding: [1] }))
    return Response.json({ data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } })
  }
  const model = llmConfig({
    ...{ providers: [openai], configList: [{ model: 'm' }], apiKey: 'k', price: [1, 1], fetch, io },
    ...{ defaultCache: () => createMemoryCache(), ...options },
  }).createModel()
  await model.embed({ input })
  await model.embed({ input })
  return requests
}

/** Counts the requests of a hosted chat whose model answers the fifth. */
const hosted = async (options: { retry?: { most: number } }): Promise<number> =>
  await count(
    ({ index }) => (index < 4 ? OVERLOADED : 'Yes.'),
    async (models) => {
      const program = defineChat({
        ...{ name: 'answers', version: '1', ...options },
        run: async ({ run }) => (await createAgent({ name: 'a', model: models(), io }).run('Hi', { run })).text,
      })
      const host = createHost({ chats: [program], at: sqlite(':memory:') })
      const stop = new AbortController()
      const work = host.work({ signal: stop.signal })
      await host.submit(program, {}, { id: 'one' })
      await host.result('one').catch(() => {})
      stop.abort()
      await work
      await host.close()
    },
  )

/** By the first cell of a row: how many requests it takes by default, and how many with the setting of the row. */
const REQUESTS: Readonly<Record<string, readonly [byDefault: () => Promise<number>, set: () => Promise<number>]>> = {
  'a model that is overloaded each time': [async () => await ask(), async () => await ask({ maxRetries: 0 })],
  'two models that are overloaded each time': [
    async () => await ask({ configList: [{ model: 'm' }, { model: 'n' }] }),
    async () => await ask({ configList: [{ model: 'm' }, { model: 'n' }], failover: { overloaded: 'stop' } }),
  ],
  'two equal calls of a `configList`': [
    async () => await equalCalls({ cacheSeed: undefined }),
    async () => await equalCalls({}),
  ],
  'an answer that never fits `result`': [async () => await typed({}), async () => await typed({ resultRepairs: 0 })],
  'a model that calls a tool 30 times': [async () => await tools({}), async () => await tools({ maxTurns: 5 })],
  'a chat of one turn': [async () => await summarized(undefined), async () => await summarized('reflection_with_llm')],
  'four rounds of a group of three': [async () => await group(), async () => await group('round_robin')],
  'a question to a `ReasoningAgent`': [
    async () => await reasoned({}),
    async () => await reasoned({ reasonConfig: { budget: { calls: 5 } } }),
  ],
  'a conversation that is cut by `fit(limitTokens(2000))`': [
    async () => await cut(fit(limitTokens(2000))),
    async () => await cut(fit(limitTokens(2000), summarize())),
  ],
  'a hosted chat whose model is overloaded four times': [
    async () => await hosted({}),
    async () => await hosted({ retry: { most: 0 } }),
  ],
  'one text that is embedded twice': [
    async () => await embedded({}, 'fog'),
    async () => await embedded({ cacheSeed: null }, 'fog'),
  ],
}

describe(`requests in ${DOCUMENT}`, () => {
  const rows = rowsUnder('Requests')

  it('has a row for each count', () => {
    expect(rows.map(([what]) => what)).toEqual(Object.keys(REQUESTS))
  })

  it.each(rows)('%s', async (what, byDefault, _setting, set) => {
    const [measure, measureSet] = REQUESTS[what]!
    expect([await measure(), await measureSet()].map(String)).toEqual([byDefault, set])
  })
})

/** Runs a program in an empty folder, and returns it with what was printed. */
async function runIn(program: string): Promise<{ folder: string; printed: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'storage-'))
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }))
  const script = join(import.meta.dirname, 'default-storage.fake.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=@x/source', script, program], {
    cwd: folder,
  })
  return { folder, printed: stdout + stderr }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
}

/** Runs a program, and returns where the question or the answer stands afterwards. */
async function placesOf(program: string): Promise<string> {
  const { folder, printed } = await runIn(program)
  const places = [...partOf(printed, 'the console')]
  for (const file of await filesBelow(folder))
    places.push(...partOf(await readFile(file, 'latin1'), `\`${file.slice(folder.length + 1)}\``))
  return places.length === 0 ? 'nowhere' : places.toSorted().join(', ')
}

/** Tells what a place has of the conversation. */
function partOf(content: string, place: string): string[] {
  const [question, answer] = [content.includes(QUESTION), content.includes(ANSWER)]
  if (question && answer) return [`both in ${place}`]
  if (question) return [`the question in ${place}`]
  return answer ? [`the answer in ${place}`] : []
}

describe(`storage in ${DOCUMENT}`, () => {
  it.each(rowsUnder('Stored texts'))('%s', async (program, byDefault, setting, set) => {
    const name = program.replaceAll('`', '')
    expect(await placesOf(name)).toBe(byDefault)
    if (setting !== '–') expect(await placesOf(`${name}, set`)).toBe(set)
  })

  it.skipIf(process.platform === 'win32').each(['llmConfig({ configList })', 'ChatSession', 'createHost(…)'])(
    '%s makes files for their owner alone',
    async (program) => {
      const files = await filesBelow((await runIn(program)).folder)
      const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode & 0o777))
      expect(new Set(modes)).toEqual(new Set([0o600]))
    },
  )
})

describe(`sentences of ${DOCUMENT}`, () => {
  it('asks for vectors and counts only by a call of the program', async () => {
    const server = await startFakeOpenAI({ replies: SAYS_YES, whenEmpty: 'cycle' })
    onTestFinished(() => server.close())
    const model = llmConfig({ providers: [openai], model: 'm', baseUrl: server.url, apiKey: 'k', price: [1, 1], io })
    await createAgent({ name: 'a', model, history: fit(), io }).run('Hi')
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions'])
  })

  it.each([
    [{}, false],
    [{ store: true }, true],
  ])('says to the Responses API with the parameters %j: `store: %s`', async (parameters, stored) => {
    const server = await startFakeOpenAI({ replies: SAYS_YES })
    onTestFinished(() => server.close())
    const entry = {
      model: 'm',
      api: 'responses',
      baseUrl: server.url,
      apiKey: 'k',
      price: [1, 1],
      ...parameters,
    } as const
    await llmConfig({ providers: [openai], configList: [entry], cacheSeed: null, io })
      .createModel()
      .create({ messages: MESSAGES })
    expect(server.requests.map(({ path, body }) => [path, (body as { store?: unknown }).store])).toEqual([
      ['/v1/responses', stored],
    ])
  })
})
