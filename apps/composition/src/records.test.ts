import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, ConversableAgent, tool, UserProxyAgent } from '@x/agent'
import type { RunResult } from '@x/agent'
import type { Model } from '@x/interfaces'
import {
  expectReplay,
  forkRun,
  type KeptRun,
  openRecords,
  readFixture,
  type Records,
  type RepeatedProgram,
  replay,
} from '@x/records'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { traceRuns } from '@x/otel'
import { functionModel } from '@x/testing'
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const exporter = new InMemorySpanExporter()
let dir: string
let records: Records

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
})

afterEach(() => {
  records?.close()
  rmSync(dir, { recursive: true, force: true })
})

/** Parts of the program of a shop that a mutation may change. */
interface Shop {
  readonly model?: ReturnType<typeof functionModel>
  readonly system?: string
  readonly message?: string
  readonly factor?: number
  readonly description?: string
  readonly order?: readonly string[]
  readonly maxTurns?: number
  readonly temperature?: number
}

const seller = () =>
  functionModel(
    ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? `It costs ${messages.at(-1)!.content as string}`
        : { tool_calls: [{ id: 'a', type: 'function', function: { name: 'price', arguments: '{"item":"tea"}' } }] },
    { usage: [7, 3], cost: 0.5 },
  )

/** A model that fails the test when it is asked. */
const nobody = () =>
  functionModel(() => {
    throw new Error('a model was asked in a replay')
  })

function shop(
  options: Parameters<RepeatedProgram>[0] | object,
  { model = nobody(), system = 'You sell tea.', message = 'How much is tea?', ...more }: Shop = {},
): Promise<RunResult> {
  const {
    factor = 1,
    description = 'The price of an item.',
    order = ['price', 'stock'],
    maxTurns = 4,
    temperature = 0,
  } = more
  const all = {
    price: tool({
      name: 'price',
      description,
      parameters: z.object({ item: z.string() }),
      execute: () => String(3 * factor),
    }),
    stock: tool({ name: 'stock', description: 'The stock.', parameters: z.object({}), execute: () => '7' }),
  }
  const clerk = new AssistantAgent({
    name: 'clerk',
    // What differs from run to run in itself: the time, and a random identifier.
    systemMessage: `${system} It is ${new Date().toISOString()}, session ${crypto.randomUUID()}.`,
    llmConfig: model.with({ temperature }),
    silent: true,
  })
  return clerk.run(message, { tools: order.map((name) => all[name as keyof typeof all]), maxTurns, ...options })
}

async function recordedShop(file = 'runs.db'): Promise<string> {
  records = openRecords(join(dir, file))
  await shop({ tracer: records.tagged({ app: 'shop' }) }, { model: seller() })
  const [info] = await records.list({ tags: { app: 'shop' } })
  return info!.runId
}

async function keptShop(): Promise<KeptRun> {
  const runId = await recordedShop()
  return (await records.read(runId))!
}

describe.each(['runs.db', 'runs.jsonl'])('a run that is recorded in %s', (file) => {
  it('is listed with what it cost, and read again', async () => {
    const runId = await recordedShop(file)
    const [info] = await records.list()
    expect(info).toMatchObject({
      runId,
      title: 'How much is tea?',
      agents: ['user', 'clerk'],
      outcome: 'ok',
      tools: 1,
      spent: [{ agent: 'clerk', model: 'scripted', calls: 2, promptTokens: 14, completionTokens: 6, cost: 1 }],
      problem: null,
    })
    const run = (await records.read(runId))!
    expect(run.calls.map(({ place, kind, name }) => [place, kind, name])).toEqual([
      ['1.1', 'model', null],
      ['1.2.0.0', 'tool', 'price'],
      ['1.3', 'model', null],
    ])
    expect(run.calls[2]!.input['messages']).toHaveLength(4)
    expect(run.events.at(-1)).toMatchObject({ type: 'chatEnd', terminationReason: 'answered' })
  })

  it('is repeated without a call outside', async () => {
    const runId = await recordedShop(file)
    expect(await replay((await records.read(runId))!, (options) => shop(options))).toEqual({ outcome: 'same' })
  })

  it('is a test as a fixture', async () => {
    const runId = await recordedShop(file)
    const path = join(dir, 'tea.run')
    writeFileSync(path, await records.export(runId))
    await expectReplay(path, (options) => shop(options))
    await expect(expectReplay(path, (options) => shop(options, { system: 'You refuse.' }))).rejects.toMatchObject({
      code: 'run-differs',
      message: expect.stringMatching(
        /`1\.1` \(clerk\) in `model\.messages\.0\.content`:[^]*"You sell tea[^]*"You refuse/u,
      ),
    })
    expect(readFixture(path).info.runId).toBe(runId)
  })
})

describe('a changed program', () => {
  it.each<[string, Shop, string, readonly string[]]>([
    ['another prompt', { system: 'You refuse.' }, 'model.messages.0.content', []],
    ['another first message', { message: 'How much is coffee?' }, 'chatStart.message', []],
    ['another tool', { description: 'A price.' }, 'model.settings.0.tools.0.function.description', []],
    ['another order of tools', { order: ['stock', 'price'] }, 'model.settings.0.tools.0.function.description', []],
    ['a tool less', { order: ['price'] }, 'model.settings.0.tools.1', []],
    ['a parameter', { temperature: 1 }, 'model.settings.0.temperature', []],
    ['a limit', { maxTurns: 1 }, 'chatStart.options.maxTurns', []],
    ['another result of a tool that is really called', { factor: 100 }, 'tool.answer.text', ['tool']],
  ])('is found: %s', async (_, change, path, make) => {
    const run = await keptShop()
    const report = await replay(run, (options) => shop(options, change), { make: make as never })
    expect(report).toMatchObject({ outcome: 'differs', difference: { path } })
    const ignored = await replay(run, (options) => shop(options, change), { make: make as never, ignore: [path] })
    expect(ignored).not.toMatchObject({ difference: { path } })
  })

  it('is found when it catches what its run fails with', async () => {
    const run = await keptShop()
    const report = await replay(run, async (options) => {
      await shop(options, { system: 'You refuse.' }).catch(() => null)
    })
    expect(report).toMatchObject({ outcome: 'differs', difference: { path: 'model.messages.0.content' } })
  })

  it('is said to be no program of the run if it does not begin it', async () => {
    const run = await keptShop()
    expect(await replay(run, () => shop({}, { model: seller() }))).toMatchObject({
      outcome: 'cannot',
      text: expect.stringContaining('pass its options on'),
    })
  })

  it('fails if what it checks of the answer does not hold', async () => {
    const run = await keptShop()
    const program: RepeatedProgram = async (options) => {
      expect((await shop(options)).text).toBe('Tea is free.')
    }
    await expect(expectReplay(run, program)).rejects.toThrow(/the program failed, and not its run: .*Tea is free/u)
  })
})

describe('identifiers of a program', () => {
  /** A program with constant identifiers in all its texts, beside random ones. */
  const talk = (options: object, { changed, model = nobody() }: { changed?: string; model?: Model | object } = {}) => {
    const ids = Object.fromEntries(
      ['prompt', 'description', 'schema', 'message', 'setting', 'key'].map((part, index) => {
        const id = `${index}${index}${index}${index}0000-1111-4222-8333-444444444444`
        return [part, part === changed ? id.replace('0000-', '9999-') : id]
      }),
    )
    const price = tool({
      name: 'price',
      description: `The price in the list ${ids['description']}.`,
      parameters: {
        type: 'object',
        properties: { item: { type: 'string', default: ids['schema'] }, [ids['key']!]: { type: 'string' } },
      },
      execute: () => '3',
    })
    const clerk = new AssistantAgent({
      name: 'clerk',
      systemMessage: `You work for ${ids['prompt']}, in the session ${crypto.randomUUID()} since ${new Date().toISOString()}.`,
      llmConfig: (model as ReturnType<typeof functionModel>).with({ user: ids['setting'] }),
      silent: true,
    })
    return clerk.run(`How much is tea for ${ids['message']}, as ${crypto.randomUUID()}?`, { tools: price, ...options })
  }

  it('are compared, and those that it makes at random are not', async () => {
    records = openRecords(join(dir, 'runs.db'))
    await talk({ tracer: records }, { model: seller() })
    const run = (await records.read((await records.list())[0]!.runId))!
    let count = 0
    const unchanged: RepeatedProgram = async (options) => {
      count++
      await talk(options)
    }
    expect(await replay(run, unchanged)).toEqual({ outcome: 'same' })
    expect(count).toBe(2)
    const found: Record<string, unknown> = {}
    for (const changed of ['prompt', 'description', 'schema', 'message', 'setting', 'key']) {
      const report = await replay(run, (options) => talk(options, { changed }))
      found[changed] = report.outcome === 'differs' && report.difference.path
    }
    const tools = 'model.settings.0.tools.0.function'
    expect(found).toEqual({
      prompt: 'model.messages.0.content',
      description: `${tools}.description`,
      schema: `${tools}.parameters.properties.item.default`,
      message: 'chatStart.message',
      setting: 'model.settings.0.user',
      key: `${tools}.parameters.properties.${'5'.repeat(4)}0000-1111-4222-8333-444444444444`,
    })
  })

  it('are compared once where functions are made, which are not called again', async () => {
    const run = await keptShop()
    let calls = 0
    const report = await replay(
      run,
      (options) => {
        calls++
        return shop(options)
      },
      { make: ['tool'] },
    )
    expect([report, calls]).toEqual([{ outcome: 'same' }, 2])
  })
})

describe('a tool that holds a chat', () => {
  const talk = async (options: object, model: ReturnType<typeof functionModel>, made: string[] = []) => {
    const ask = tool({
      name: 'price',
      description: 'The price of an item.',
      parameters: z.object({ item: z.string() }),
      async execute({ item }, { run }) {
        made.push(item)
        const guide = new AssistantAgent({ name: 'guide', llmConfig: functionModel(() => '3'), silent: true })
        return (await guide.run(`What does ${item} cost?`, { run })).text
      },
    })
    return await new AssistantAgent({ name: 'clerk', llmConfig: model, silent: true }).run('How much is tea?', {
      tools: ask,
      ...options,
    })
  }

  it.each([
    [[], []],
    [['tool'], ['tea']],
  ])('is the same with %j made', async (make, expected) => {
    records = openRecords(join(dir, 'runs.db'))
    await talk({ tracer: records }, seller())
    const run = (await records.read((await records.list())[0]!.runId))!
    const made: string[] = []
    const report = await replay(run, async (options) => await talk(options, nobody(), made), { make: make as never })
    expect(report).toEqual({ outcome: 'same' })
    expect(made).toEqual(expected)
  })
})

describe('a person who was asked at once', () => {
  it('is asked nothing in a replay', async () => {
    records = openRecords(join(dir, 'runs.db'))
    const chat = (options: object, model: Model | ReturnType<typeof functionModel>, input: () => string) => {
      const user = new UserProxyAgent({ name: 'user', humanInputMode: 'ALWAYS', io: { send: () => {}, input } })
      const helper = new ConversableAgent({ name: 'helper', llmConfig: model as never, silent: true })
      return user.initiateChat(helper, { message: 'Hello', maxTurns: 2, ...options })
    }
    await chat(
      { tracer: records },
      functionModel(() => 'hi'),
      () => 'and now?',
    )
    const [info] = await records.list()
    const run = (await records.read(info!.runId))!
    const silent = (): string => {
      throw new Error('a person was asked in a replay')
    }
    expect(await replay(run, (options) => chat(options, nobody(), silent))).toEqual({ outcome: 'same' })
  })
})

describe('a fork', () => {
  it('goes on with another model from a place, pays only for what is behind it, and names its parent', async () => {
    const runId = await recordedShop()
    const run = (await records.read(runId))!
    let asked = 0
    const other = functionModel(({ messages }) => `asked with ${messages.length} messages, ${asked++}`)
    const forks = await forkRun(run, '1.3', (options) => shop(options, { model: other }), { records, samples: 2 })
    expect(forks.map(({ error }) => error)).toEqual([undefined, undefined])
    const texts = forks.map(({ value }) => value!.text)
    // The samples go on at once.
    expect(texts.toSorted()).toEqual(['asked with 4 messages, 0', 'asked with 4 messages, 1'])
    expect(new Set(forks.map((fork) => fork.runId)).size).toBe(2)
    const kept = (await records.read(forks[0]!.runId))!
    expect(kept.info).toMatchObject({ parent: { runId, place: '1.3' }, problem: null })
    expect(kept.info.spent).toMatchObject([{ calls: 1 }])
  })

  it('goes on with another answer, and can be repeated itself', async () => {
    const run = await keptShop()
    const [fork] = await forkRun(run, '1.2.0.0', (options) => shop(options, { model: seller() }), {
      records,
      answer: '300',
    })
    expect(fork!.value?.text).toBe('It costs 300')
    const kept = (await records.read(fork!.runId))!
    expect(await replay(kept, (options) => shop(options))).toEqual({ outcome: 'same' })
    // The reply of the record without its calls.
    const { reply } = run.entries.find(({ place }) => place === '1.1')!.value as { readonly reply: object }
    const answer = { ...reply, content: 'Ask me later.', tool_calls: undefined }
    const [later] = await forkRun(run, '1.1', (options) => shop(options), { answer })
    expect(later!.value?.text).toBe('Ask me later.')
  })

  it('is refused at a place without a call', async () => {
    const run = await keptShop()
    await expect(forkRun(run, '7', (options) => shop(options))).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('1.1, 1.2.0.0, 1.3'),
    })
  })
})

describe('records with another tracer beside', () => {
  it('tell it what it takes, and leave the trace context to it', async () => {
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
    const tracer = provider.getTracer('test')
    records = openRecords({ file: join(dir, 'runs.db'), tracer: traceRuns({ tracer }) })
    await shop({ tracer: records.tagged({ app: 'shop' }) }, { model: seller() })
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['invoke_agent clerk', 'execute_tool price']),
    )
    const [info] = await records.list()
    const run = (await records.read(info!.runId))!
    expect(await replay(run, (options) => shop(options))).toEqual({ outcome: 'same' })
  })

  it.each([true, false])('tell other records all of it, with content in their own file: %s', async (content) => {
    const beside = openRecords(join(dir, 'beside.db'))
    records = openRecords({ file: join(dir, 'runs.db'), content, tracer: beside })
    await shop({ tracer: records }, { model: seller() })
    for (const each of content ? [records, beside] : [beside]) {
      const [info] = await each.list()
      const run = (await each.read(info!.runId))!
      expect(await replay(run, (options) => shop(options))).toEqual({ outcome: 'same' })
    }
    beside.close()
  })
})
