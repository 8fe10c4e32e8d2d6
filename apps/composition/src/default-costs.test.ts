import { AssistantAgent, createAgent, tool, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { fit, limitTokens, summarize } from '@x/history'
import { createMemoryCache, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { ReasoningAgent } from '@x/reasoning'
import { startFakeOpenAI } from '@x/testing'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
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

/** By the first cell of a row: how many requests it takes by default, and how many with the setting of the row. */
const REQUESTS: Readonly<Record<string, readonly [byDefault: () => Promise<number>, set: () => Promise<number>]>> = {
  'a model that is overloaded each time': [async () => await ask(), async () => await ask({ maxRetries: 0 })],
  'two models that are overloaded each time': [
    async () => await ask({ configList: [{ model: 'm' }, { model: 'n' }] }),
    async () => await ask({ configList: [{ model: 'm' }, { model: 'n' }], failover: { overloaded: 'stop' } }),
  ],
  'two equal calls of `llmConfig`': [
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

/** Runs a program in an empty folder, and returns where the question or the answer stands afterwards. */
async function placesOf(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storage-'))
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }))
  const script = join(import.meta.dirname, 'default-storage.fake.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=@x/source', script, program], {
    cwd: folder,
  })
  const places = [...partOf(stdout + stderr, 'the console')]
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    places.push(...partOf(await readFile(file, 'latin1'), `\`${file.slice(folder.length + 1)}\``))
  }
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
})
