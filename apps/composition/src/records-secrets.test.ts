import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, tool } from '@x/agent'
import type { LlmConfig } from '@x/interfaces'
import { mcp } from '@x/mcp'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { ReasoningAgent } from '@x/reasoning'
import { openRecords, type Records, type RecordsOptions, replay } from '@x/records'
import { functionModel, startFakeOpenAI } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CHAT_PROGRAMS } from './records-programs-chats.fake.ts'
import { GROUP_PROGRAMS } from './records-programs-groups.fake.ts'
import { SEARCH_PROGRAMS } from './records-programs-searches.fake.ts'
import { TOOL_PROGRAMS } from './records-programs-tools.fake.ts'
import { assistant, calls, CODE_READER, type Program, proxy, quiet, reached, World } from './records-world.fake.ts'

const PROGRAMS: readonly [string, Program][] = Object.entries({
  ...CHAT_PROGRAMS,
  ...TOOL_PROGRAMS,
  ...GROUP_PROGRAMS,
  ...SEARCH_PROGRAMS,
})

const FILES = ['runs.db', 'runs.jsonl']

/** Part of every secret; nothing in it looks like a key. */
const CANARY = 'CanaryOf2026'
const canary = (place: string): string => `${CANARY}${place}`

/** Where a config may hold a secret. */
const SECRETS = {
  apiKey: canary('Key'),
  baseUrl: `https://ann:${canary('Password')}@models.example/v1?api_key=${canary('Query')}`,
  defaultHeaders: { authorization: `Bearer ${canary('Bearer')}`, 'x-gateway-token': canary('Header') },
}

/** A world whose models have keys. */
class SecretWorld extends World {
  override model(...parts: Parameters<World['model']>): LlmConfig {
    return super.model(...parts).with(SECRETS)
  }
}

let dir: string
let records: Records

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  vi.stubEnv('OPENAI_API_KEY', canary('Environment'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  records.close()
  rmSync(dir, { recursive: true, force: true })
})

function open(file: string, options: Partial<RecordsOptions> = {}): Records {
  records = openRecords({ ...options, file: join(dir, file) })
  return records
}

/** All bytes of the files: also those of the log beside a file of SQLite. */
const bytesOf = (): string =>
  readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), 'utf8'))
    .join('\n')

/** Everything that a record shows: as a run, as JSON and as a fixture. */
async function shown(): Promise<string> {
  const parts: string[] = []
  for (const { runId } of await records.list()) {
    const run = (await records.read(runId))!
    parts.push(JSON.stringify([run.info, run.events, run.entries, run.calls.map(({ input }) => input)]))
    parts.push(await records.export(runId))
  }
  return parts.join('\n')
}

/** The sentences of people, models, tools and code in a run; names of agents and tools have no blanks. */
function sentencesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length > 12 && value.includes(' ') ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(sentencesIn)
}

/** Records a program, and returns the sentences in what it asked and was answered. */
async function sentencesOf(program: Program): Promise<readonly string[]> {
  await reached(program.run(new World({ face: program.faces[0]! }), { tracer: open('whole.db') }))
  const sentences: string[] = []
  for (const { runId } of await records.list()) {
    const run = (await records.read(runId))!
    sentences.push(...sentencesIn([run.entries, run.calls.map(({ input }) => input)]))
  }
  records.close()
  rmSync(dir, { recursive: true })
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  return [...new Set(sentences)]
}

/** The sentences that a text has, as JSON has them. */
const foundIn = (text: string, sentences: readonly string[]): readonly string[] =>
  sentences.filter((each) => text.includes(JSON.stringify(each).slice(1, -1)))

describe.each(PROGRAMS)('the record of %s', (_, program) => {
  it.each(FILES)('has no key of a config in %s', async (file) => {
    open(file)
    await reached(program.run(new SecretWorld({ face: program.faces[0]! }), { tracer: records }))
    records.flush()
    expect(await records.list()).not.toHaveLength(0)
    expect(bytesOf() + (await shown())).not.toContain(CANARY)
  })

  it('has no text without content, none that is redacted, and none beyond its length', async () => {
    const sentences = await sentencesOf(program)
    const options: readonly Partial<RecordsOptions>[] = [
      { content: false },
      { redact: (text) => (text.includes(' ') ? '***' : text) },
      { maxContent: 12 },
    ]
    for (const [index, option] of options.entries()) {
      open(`${index}.db`, option)
      await reached(program.run(new World({ face: program.faces[0]! }), { tracer: records }))
      records.flush()
      expect(await records.list()).not.toHaveLength(0)
      expect([option, foundIn(bytesOf(), sentences)]).toEqual([option, []])
      for (const { runId } of await records.list()) {
        if (sentences.length > 0) expect((await records.read(runId))!.info.problem).not.toBeNull()
      }
      records.close()
    }
  })
})

describe.each(FILES)('a record in %s', (file) => {
  it('has no key that a server echoes in its error, in a header or in its answer', async () => {
    await using server = await startFakeOpenAI({
      replies: [
        { failure: '401', message: `Incorrect API key provided: ${canary('Key')}` },
        { failure: '400', message: `no header ${canary('Header')} at ${canary('Query')}` },
      ],
      whenEmpty: 'repeat-last',
    })
    open(file)
    const config = llmConfig({
      ...SECRETS,
      providers: [openai],
      ...{ model: 'm', cacheSeed: null, maxRetries: 0, price: [0, 0] },
      baseUrl: `${server.url}?api_key=${canary('Query')}`,
    })
    for (let turn = 0; turn < 2; turn++) {
      const agent = new AssistantAgent({ name: 'helper', llmConfig: config, silent: true })
      expect(await reached(agent.run('Hello', { tracer: records }))).toHaveProperty('error')
    }
    records.flush()
    const errors = (await records.list({ outcome: 'error' })).map(({ error }) => error).join('\n')
    for (const text of ['401), Incorrect API key', '400), no header']) expect(errors).toContain(text)
    expect(bytesOf() + (await shown())).not.toContain(CANARY)
  })

  it('has no header of an MCP server that repeats it in an error, or cannot be reached', async () => {
    const answers: readonly (() => object)[] = [
      () => ({ error: { code: -32_000, message: `not allowed: Bearer ${canary('Bearer')}` } }),
      () => {
        throw new Error(`cannot reach https://mcp.example?api_key=${canary('Query')} with ${canary('Header')}`)
      },
    ]
    open(file)
    for (const answer of answers) {
      await using its = await mcp({
        ...{ name: 'shop', url: `https://mcp.example/mcp?api_key=${canary('Query')}`, headers: SECRETS.defaultHeaders },
        fetch: echoing(answer),
      })
      const tools = its.tools({ allow: 'all', needsApproval: false })
      await helperThatCalls(tools[0]!.name).run('Look.', { tools, tracer: records })
    }
    records.flush()
    const told = await shown()
    for (const part of ['not allowed', 'cannot reach']) expect(told).toContain(part)
    expect(leaksIn(bytesOf() + told)).toEqual([])
  })

  it('has no key that a program adds to a request, and is repeated with another one', async () => {
    await using server = await startFakeOpenAI({ replies: ['Hi.'], whenEmpty: 'repeat-last' })
    const program =
      (key: string, more: object = {}) =>
      (options: object): Promise<unknown> => {
        const parameters = {
          extra_query: { api_key: key },
          extra_body: { login: { password: key }, depth: 1, ...more },
        }
        const config = llmConfig({
          ...{ ...parameters, providers: [openai], baseUrl: server.url, apiKey: 'key-of-config' },
          ...{ model: 'm', cacheSeed: null, maxRetries: 0, price: [0, 0] },
        })
        return new AssistantAgent({ name: 'helper', llmConfig: config, silent: true }).run('Hello', options)
      }
    open(file)
    await program(canary('Extra'))({ tracer: records })
    const run = (await records.read((await records.list())[0]!.runId))!
    expect(leaksIn(bytesOf() + (await shown()))).toEqual([])
    expect(run.calls[0]!.input['settings']).toMatchObject([
      { extra_query: { api_key: '[redacted]' }, extra_body: { login: { password: '[redacted]' }, depth: 1 } },
    ])
    expect(await replay(run, program('another-key'))).toMatchObject({ outcome: 'same' })
    expect(await replay(run, program('another-key', { depth: 2 }))).toMatchObject({ outcome: 'differs' })
  })

  it('has no header that a program adds to a request, and has a parameter of a tool that is called so', async () => {
    await using server = await startFakeOpenAI({ replies: ['Hi.'], whenEmpty: 'repeat-last' })
    const program =
      (key: string, description = 'Its headers.') =>
      (options: object): Promise<unknown> => {
        const hosted = { type: 'mcp', server_label: 'shop', headers: { 'x-shop': key }, depth: 1 }
        const config = llmConfig({
          ...{ extra_body: { remote: hosted, http_headers: { 'x-ann': [key] } }, providers: [openai], apiKey: 'key' },
          ...{ baseUrl: server.url, model: 'm', cacheSeed: null, maxRetries: 0, price: [0, 0] },
        })
        const properties = { headers: { type: 'string', description } } as const
        const tools = tool({
          ...{ name: 'get', description: 'Gets.', parameters: { type: 'object', properties } },
          execute: () => '',
        })
        return new AssistantAgent({ name: 'helper', llmConfig: config, silent: true }).run('Hello', {
          tools,
          ...options,
        })
      }
    open(file)
    await program(canary('Extra'))({ tracer: records })
    const run = (await records.read((await records.list())[0]!.runId))!
    expect(leaksIn(bytesOf() + (await shown()))).toEqual([])
    expect(JSON.stringify(run.calls[0]!.input['settings'])).toContain('"description":"Its headers."')
    expect(await replay(run, program('another'))).toMatchObject({ outcome: 'same' })
    expect(await replay(run, program(canary('Extra'), 'Headers.'))).toMatchObject({ outcome: 'differs' })
  })

  it('has no key by its form or name in an error that a tool or a reply function throws', async () => {
    const text = `no gsk_${CANARY}1234567, ghp_${CANARY}123456, {"api_key":"${CANARY}"}, API_KEY=${CANARY}, x-api-key: ${CANARY}`
    const fail = (): never => {
      throw new Error(`it failed: ${text}`)
    }
    const look = tool({ name: 'look', description: 'Looks.', parameters: { type: 'object' }, execute: fail })
    const failing = (options: object): Promise<unknown> => {
      const agent = new AssistantAgent({ name: 'helper', silent: true, llmConfig: functionModel(() => 'never') })
      agent.registerReply(() => true, fail)
      return agent.run('Hi', options)
    }
    open(file)
    await helperThatCalls('look').run('Look.', { tools: look, tracer: records })
    expect(await reached(failing({ tracer: records }))).toHaveProperty('error')
    const [failed] = await records.list({ outcome: 'error' })
    expect(failed!.error).toContain('it failed: no [redacted]')
    expect(leaksIn(bytesOf() + (await shown()))).toEqual([])
    expect(await replay((await records.read(failed!.runId))!, failing)).toMatchObject({ outcome: 'same' })
  })

  it('has no key that a tool of the program throws, of a config or by its form', async () => {
    await using server = await startFakeOpenAI({
      replies: [{ failure: '401', message: `Incorrect API key provided: ${canary('Key')}` }],
      whenEmpty: 'repeat-last',
    })
    const config = llmConfig({
      ...SECRETS,
      providers: [openai],
      ...{ model: 'm', cacheSeed: null, maxRetries: 0, price: [0, 0], baseUrl: server.url },
    })
    const ask = async (): Promise<never> => {
      await config.createModel().create({ messages: [{ role: 'user', content: 'Hi' }] })
      throw new Error('the model has answered')
    }
    const failures = [ask, () => Promise.reject(new Error(`cannot use sk-${CANARY}-123456789`))]
    open(file)
    for (const execute of failures) {
      const look = tool({ name: 'look', description: 'Looks.', parameters: { type: 'object' }, execute })
      await helperThatCalls('look').run('Look.', { tools: look, tracer: records })
    }
    records.flush()
    const text = bytesOf() + (await shown())
    for (const part of ['Incorrect API key provided', 'cannot use']) expect(text).toContain(part)
    expect(leaksIn(text)).toEqual([])
  })

  it.each<[string, (fail: () => never, tracer: Records) => unknown]>([
    [
      'the question whether a tool needs approval',
      (needsApproval, tracer) => {
        const look = tool({ name: 'look', description: 'Looks.', parameters: {}, needsApproval, execute: () => 'seen' })
        return helperThatCalls('look').run('Look.', { tools: look, tracer })
      },
    ],
    [
      'the vetting of code',
      (beforeCodeExecution, tracer) => {
        const executor = { codeReader: CODE_READER, isolation: 'host', executeCodeBlocks: () => [] } as never
        const machine = proxy('machine', { beforeCodeExecution, codeExecutionConfig: { executor } })
        const coder = assistant(
          'coder',
          functionModel(() => '```sh\nls\n```'),
        )
        return machine.initiateChat(coder, { message: 'List.', maxTurns: 2, tracer })
      },
    ],
    [
      'the verifier of a search',
      (verifier, tracer) =>
        reasoner(
          functionModel(() => 'Option 1: a'),
          { verifier },
        ).run('Why?', { tracer }),
    ],
    ['the model of a search', (fail, tracer) => reasoner(functionModel(fail), {}).run('Why?', { tracer })],
  ])('has no key by its form that %s throws', async (_, program) => {
    open(file)
    const fail = (): never => {
      throw new Error(`it failed with sk-${CANARY}-123456789 at https://ann:${CANARY}@shop.example`)
    }
    await reached(Promise.resolve(program(fail, records)))
    records.flush()
    const text = bytesOf() + (await shown())
    expect(text).toContain('it failed with [redacted] at')
    expect(leaksIn(text)).toEqual([])
  })
})

/** An agent that searches one step deep. */
const reasoner = (llmConfig: LlmConfig, more: { readonly verifier?: () => boolean }): ReasoningAgent =>
  new ReasoningAgent({
    ...{ name: 'reasoner', silent: true, io: quiet, llmConfig },
    reasonConfig: { method: 'best_first', maxDepth: 1, ...more },
  })

/** An agent that calls a tool once. */
const helperThatCalls = (name: string): AssistantAgent =>
  new AssistantAgent({
    ...{ name: 'helper', silent: true },
    llmConfig: functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : calls(name))),
  })

/** The places of a text in which a secret stands. */
const leaksIn = (text: string): readonly string[] => text.match(new RegExp(`.{0,60}${CANARY}.{0,20}`, 'gu')) ?? []

/** A server of MCP with one tool, whose calls are answered by a function. */
const echoing =
  (answer: () => object): typeof fetch =>
  async (_, init) => {
    if (init?.method !== 'POST') return new Response(null, { status: 405 })
    const { id, method } = JSON.parse(init.body as string) as { id?: number; method: string }
    if (id === undefined) return new Response(null, { status: 202 })
    const said =
      {
        initialize: () => ({
          result: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 's', version: '1' },
          },
        }),
        'tools/list': () => ({ result: { tools: [{ name: 'look', inputSchema: { type: 'object' } }] } }),
        'tools/call': answer,
      }[method] ?? (() => ({ error: { code: -32_601, message: 'no such method' } }))
    return Response.json({ jsonrpc: '2.0', id, ...said() })
  }
