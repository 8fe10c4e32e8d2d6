import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, tool } from '@x/agent'
import { createCodeExecutor } from '@x/exec'
import { initiateGroupChat, roundRobinPattern } from '@x/group'
import { createHost, defineChat, type DefinedChat, sqlite } from '@x/host'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { forkRun, type KeptRun, openRecords, type RepeatedProgram, replay } from '@x/records'
import { functionModel, startFakeOpenAI } from '@x/testing'
import { startBatchServer } from '@x/testing/wire'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { calls, proxy } from './records-world.fake.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const read = async (): Promise<KeptRun> => {
  const records = openRecords({ file: join(dir, 'runs.db'), readOnly: true })
  return (await records.read((await records.list())[0]!.runId))!
}

const NOW_S = Math.floor(Date.now() / 1000)

/** A program with a tool that runs code and has a batch answered. */
const working = (url: string, { code = 'echo 3', text = 'Tea?', seed = NOW_S } = {}): RepeatedProgram => {
  const parameters = { seed, cacheSeed: null, apiKey: 'none', baseUrl: url, price: [1, 1] as const }
  const model = llmConfig({ providers: [openai], model: 'm', ...parameters }).createModel()
  const work = tool({
    ...{ name: 'work', description: 'Works.', parameters: {} },
    async execute(_, { run }) {
      await using executor = createCodeExecutor('local', { trust: 'host' })
      const { exitCode } = await executor.executeCodeBlocks([{ language: 'sh', code }], { run })
      const request = { messages: [{ role: 'user', content: text }] } as const
      const [answer] = await model.batch!([request], { run, sleep: async () => {} })
      return [exitCode, answer!.response?.choices[0]!.message.content]
    },
  })
  const asks = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : calls(['work', {}])))
  const clerk = new AssistantAgent({ name: 'clerk', llmConfig: asks, silent: true })
  return (options) => clerk.run('Work.', { tools: work, ...options })
}

it('code and batches of a tool are compared where tools are called, and nothing is run or handed in', async () => {
  const make = ['tool'] as const
  await using server = await startBatchServer({ vendor: 'openai', polls: 1, outcomeOf: () => ({ text: 'Yes.' }) })
  const records = openRecords(join(dir, 'runs.db'))
  await working(server.url)({ tracer: records } as never, {} as never)
  records.close()
  const run = await read()
  expect(await replay(run, working(server.url), { make })).toEqual({ outcome: 'same' })
  for (const [change, path] of [
    [{ code: 'echo 3 # three' }, 'code.blocks.0.code'],
    [{ text: 'Cake?' }, 'tool.requests.0.messages.0.content'],
    // It looks like the time of the run, and is none.
    [{ seed: NOW_S + 1 }, 'tool.requests.0.settings.0.seed'],
  ] as const)
    expect(await replay(run, working(server.url, change), { make })).toMatchObject({ difference: { path } })
  expect(server.batches).toHaveLength(1)
  const old = { ...run, calls: run.calls.filter(({ name }) => name !== 'batch key') }
  expect(await replay(old, working(server.url), { make })).toEqual({ outcome: 'same' })
})

/** A hosted program that waits for times. */
const waiting = ({ pause = 0.01, timeout = 60, until = 0, more = false } = {}): DefinedChat =>
  defineChat({
    ...{ name: 'waiting', version: '1' },
    async run({ receive, run, sleep }) {
      await new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => 'Hi.'), silent: true }).run('Hi.', {
        run,
      })
      await sleep(pause)
      await sleep(new Date(until))
      const message = await receive({ timeout })
      if (more) await sleep(pause)
      return String(message)
    },
  }) as DefinedChat

it('the times for which a hosted program waits are compared', async () => {
  const records = openRecords(join(dir, 'runs.db'))
  const host = createHost({ chats: [waiting()], at: sqlite(join(dir, 'chats.db')), tracer: records })
  const stop = new AbortController()
  await host.submit(waiting(), {} as never, { id: 'order-17' })
  await host.send('order-17', 'tea')
  const work = host.work({ signal: stop.signal })
  expect(await host.result('order-17')).toBe('tea')
  stop.abort()
  await work
  await host.close()
  records.close()
  const run = await read()
  expect(await replay(run, waiting().repeat({}))).toEqual({ outcome: 'same' })
  for (const [change, path] of [
    [{ pause: 0.02 }, 'timer.time'],
    [{ until: 1 }, 'timer.time'],
    [{ timeout: 61 }, 'timer.time'],
    [{ more: true }, 'timer'],
  ] as const)
    expect(await replay(run, waiting(change).repeat({}))).toMatchObject({ difference: { path } })
  const old = { ...run, calls: run.calls.filter(({ kind }) => kind !== 'timer') }
  expect(await replay(old, waiting().repeat({}))).toEqual({ outcome: 'same' })
})

it('earlier messages of a group are compared, and its forks are found by their ids', async () => {
  const group =
    (earlier: string, shown: object): RepeatedProgram =>
    (options) => {
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => 'Paid.'), silent: true })
      const pattern = roundRobinPattern({ initialAgent: clerk, agents: [clerk] })
      const messages = [{ content: earlier, name: 'clerk' }, { content: 'Pay.' }]
      return initiateGroupChat(pattern, messages, { maxRounds: 2, ...shown, ...options })
    }
  const [silent, told] = [{ silent: true }, { emit() {} }]
  const records = openRecords(join(dir, 'runs.db'))
  await group('Hello.', silent)({ tracer: records } as never, {} as never)
  records.flush()
  const run = await read()
  expect(await replay(run, group('Hello.', silent))).toEqual({ outcome: 'same' })
  expect(await replay(run, group('Hi.', silent))).toMatchObject({
    difference: { path: 'begin.messages.0.content', recorded: 'Hello.', now: 'Hi.' },
  })
  const [fork] = await forkRun(run, '1.1.1', group('Hello.', silent) as never, { records })
  expect((await records.read(fork!.runId))?.info.parent).toEqual({ runId: run.info.runId, place: '1.1.1' })
  await group('Hello.', told)({ tracer: records } as never, {} as never)
  records.close()
  expect(await replay(await read(), group('Hi.', told))).toMatchObject({
    text: expect.stringContaining('the run differs before its first chat (clerk) in `receivedMessage') as string,
  })
})

it('a scripted model that a tool asks is asked once, as any other one', async () => {
  let asked = 0
  const asking =
    (content = 'Which?', temperature = 0): RepeatedProgram =>
    async (options) => {
      const inner = functionModel(() => `Answer ${++asked}.`, { model: 'inner' }).createModel()
      const ask = tool({
        ...{ name: 'ask', description: 'Asks.', parameters: {} },
        async execute(_, { run }) {
          const request = { messages: [{ role: 'user', content }], temperature } as const
          return (await inner.create(request, { run })).choices[0]!.message.content
        },
      })
      const llm = functionModel((call) => (call.messages.at(-1)?.role === 'tool' ? 'Done.' : calls(['ask', {}])))
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig: llm, silent: true })
      return (await clerk.run('Ask.', { tools: ask, ...options })).toolCalls[0]!.result
    }
  const make = ['tool'] as const
  const records = openRecords(join(dir, 'runs.db'))
  await asking()({ tracer: records } as never, {} as never)
  records.flush()
  const run = await read()
  expect(await replay(run, asking(), { make })).toEqual({ outcome: 'same' })
  for (const [program, path] of [
    [asking('Who?'), 'model.messages.0.content'],
    [asking(undefined, 1), 'model.settings.0.temperature'],
  ] as const)
    expect(await replay(run, program, { make })).toMatchObject({ difference: { path } })
  expect(asked).toBe(1)
  const { place } = run.calls.find((call) => call.kind === 'model' && call.place.startsWith('1.2.'))!
  const [fork] = await forkRun(run, place, asking() as never, { records, answer: 'Given.' })
  expect([fork!.value, asked]).toEqual(['Given.', 1])
  records.close()
})

it('a request that failed, and whose error a tool caught, fails again where tools are called', async () => {
  let asked = 0
  await using server = await startFakeOpenAI({ replies: [{ failure: '400' }], whenEmpty: 'repeat-last' })
  const config = { apiKey: 'none', baseUrl: server.url, cacheSeed: null, price: [0, 0] as const, maxRetries: 0 }
  const vectors = llmConfig({ providers: [openai], model: 'm', ...config }).createModel()
  const asking =
    (otherwise = 'Nobody knows.'): RepeatedProgram =>
    (options) => {
      const inner = functionModel(() => (asked++, { error: 'server' })).createModel()
      const ask = tool({
        ...{ name: 'ask', description: 'Asks.', parameters: {} },
        async execute(_, { run }) {
          const failed = [
            inner.create({ messages: [{ role: 'user', content: 'Which?' }] }, { run }),
            vectors.embed({ input: 'Which?' }, { run }),
          ]
          const outcomes = await Promise.allSettled(failed)
          return outcomes.every(({ status }) => status === 'rejected') ? otherwise : 'Somebody knows.'
        },
      })
      const llm = functionModel((call) => (call.messages.at(-1)?.role === 'tool' ? 'Done.' : calls(['ask', {}])))
      return new AssistantAgent({ name: 'clerk', llmConfig: llm, silent: true }).run('Ask.', { tools: ask, ...options })
    }
  const make = ['tool'] as const
  const records = openRecords(join(dir, 'runs.db'))
  await asking()({ tracer: records } as never, {} as never)
  records.close()
  const run = await read()
  const sent = server.requests.length
  expect(await replay(run, asking(), { make })).toEqual({ outcome: 'same' })
  expect(await replay(run, asking('Ask again.'), { make })).toMatchObject({ difference: { now: 'Ask again.' } })
  expect([asked, server.requests.length]).toEqual([1, sent])
})

it('code that runs again is compared without its time and its folder', async () => {
  const program =
    (env = '3'): RepeatedProgram =>
    async (options) => {
      await using executor = createCodeExecutor('local', { trust: 'host', env: { EUROS: env } })
      const llmConfig = functionModel(({ messages }) => (messages.length > 2 ? 'Done.' : '```sh\necho $EUROS\n```'))
      const coder = new AssistantAgent({ name: 'coder', llmConfig, silent: true })
      const machine = proxy('machine', { codeExecutionConfig: { executor } })
      return (await machine.initiateChat(coder, { message: 'Count.', maxTurns: 2, ...options })).chatHistory
    }
  const records = openRecords(join(dir, 'runs.db'))
  await program()({ tracer: records } as never, {} as never)
  records.close()
  const run = await read()
  expect(await replay(run, program('300'))).toEqual({ outcome: 'same' })
  expect(await replay(run, program(), { make: ['code'] })).toEqual({ outcome: 'same' })
  expect(await replay(run, program('300'), { make: ['code'] })).toMatchObject({
    difference: { path: 'code.answer.output', recorded: '3\n', now: '300\n' },
  })
})
