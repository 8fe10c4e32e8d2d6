import { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import { createHost, defineChat, sqlite } from '@x/host'
import type { ConfigEntry, JournalEntry, ModelResponse, RunOptions } from '@x/interfaces'
import { createBudget, createLimiter, ModelWrapper } from '@x/model'
import { createOpenAI } from '@x/provider-openai'
import { beam, modelParts, search } from '@x/reasoning'
import { startBatchServer, type BatchServer, type BatchServerOptions } from '@x/testing/wire'
import { afterEach, describe, expect, it } from 'vitest'

const servers: BatchServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.close()))
})

async function start(options: Omit<BatchServerOptions, 'vendor'> = {}): Promise<BatchServer> {
  const server = await startBatchServer({ vendor: 'openai', ...options })
  servers.push(server)
  return server
}

/** A model whose requests are gathered for a moment; the time between two questions passes at once. */
function modelAt({ url }: BatchServer, more: ConfigEntry = {}, onPause: () => void = () => {}): ModelWrapper {
  let now = 0
  const sleep = async (ms: number): Promise<void> => {
    await new Promise(setImmediate)
    now += ms
    if (ms > 1000) onPause()
  }
  const provider = createOpenAI({ clock: { sleep, random: () => 0.5 } })
  const entry = { model: 'gpt-5-mini', apiType: 'openai', baseUrl: url, apiKey: 'k', maxRetries: 0, batch: true }
  return new ModelWrapper({
    ...{ providers: [provider], runtime: { now: () => now } },
    ...{ cacheSeed: null, io: { send: () => {}, input: () => '' } },
    configList: [{ ...entry, ...more }],
  })
}

const textOf = ({ choices }: ModelResponse): unknown => choices[0]?.message.content

/** Asks questions at the same time. */
const askEach = (model: ModelWrapper, count: number, options: RunOptions = {}): readonly Promise<ModelResponse>[] =>
  Array.from({ length: count }, async (_, index) => {
    return await model.create({ messages: [{ role: 'user', content: `Question ${index}` }] }, options)
  })

const ask = async (...asked: Parameters<typeof askEach>): Promise<ModelResponse[]> =>
  await Promise.all(askEach(...asked))

/** The answer to a question, by its number. */
const answerTo = (body: object): { readonly text: string } => ({
  text: `answer ${/Question (\d)/u.exec(JSON.stringify(body))![1]}`,
})

const USAGE = { prompt: 1000, completion: 100 }

describe('requests with `batch`', () => {
  it('that come together share a batch, and each gets its own answer at half the price', async () => {
    const server = await start({ polls: 2, outcomeOf: (body) => ({ ...answerTo(body), usage: USAGE }) })
    const budget = createBudget({ calls: 4 })
    const model = modelAt(server, { budget })
    const answers = await ask(model, 4)
    expect(answers.map(textOf)).toEqual(['answer 0', 'answer 1', 'answer 2', 'answer 3'])
    expect(server.batches).toHaveLength(1)
    const whole = await modelAt(server, { batch: false, price: [1, 1] }).batch([{ prompt: 'Question 0' }], {
      sleep: async () => {},
    })
    expect(whole[0]!.response!.cost).toBeCloseTo(0.55, 8)
    const price = modelAt(server, { price: [1, 1] })
    expect((await ask(price, 1))[0]!.cost).toBeCloseTo(0.55, 8)
    expect(budget.spent).toMatchObject({ calls: 4, tokens: 4400 })
    expect(budget.spent.cost).toBeCloseTo(model.actualUsageSummary!.totalCost, 8)
    // They ask together.
    expect(server.requests.filter(({ path }) => path === '/v1/batches/batch_1').length).toBeLessThan(12)
  })

  it('need no permit of a limiter: vendors count batches apart', async () => {
    const server = await start({ polls: 0, outcomeOf: answerTo })
    const limiter = createLimiter({ '*': { requests: 1, inFlight: 1 } })
    await ask(modelAt(server, { limiter }), 3)
    expect(server.batches.map(({ requests }) => requests.length)).toEqual([3])
  })

  it('fail alone, and then go to the next config', async () => {
    const ends = [{ text: 'fine' }, { status: 400 }, 'expired', { text: 'too' }] as const
    const server = await start({ outcomeOf: (_, index) => ends[index]! })
    const settled = await Promise.allSettled(askEach(modelAt(server), 4))
    expect(settled.map((each) => (each.status === 'fulfilled' ? textOf(each.value) : each.reason.kind))).toEqual([
      ...['fine', 'invalid-request', 'timeout', 'too'],
    ])
  })

  it('are refused where nobody could answer them', async () => {
    const server = await start()
    expect(() => modelAt(server).createSync({ messages: [{ role: 'user', content: 'Now' }] })).toThrow('use `create`')
    const none = { apiTypes: ['none'], specVersion: 1 as const, createClient: () => ({ create() {} }) as never }
    const model = new ModelWrapper({ providers: [none], configList: [{ model: 'm', apiType: 'none', batch: true }] })
    await expect(ask(model, 1)).rejects.toThrow('`m` has no batches')
  })

  it('are cancelled at the vendor once nobody waits for any of them', async () => {
    const server = await start({ polls: 1000 })
    const [first, second] = [new AbortController(), new AbortController()]
    let pauses = 0
    const model = modelAt(server, {}, () => {
      if (++pauses === 10) first.abort()
      if (pauses === 30) second.abort()
    })
    const answers = [first, second].map(async ({ signal }) => await ask(model, 1, { signal }))
    await expect(answers[0]).rejects.toMatchObject({ code: 'aborted' })
    expect(server.batches.map(({ isCancelled }) => isCancelled)).toEqual([false])
    await expect(answers[1]).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(() => server.batches.map(({ isCancelled }) => isCancelled), { interval: 2 }).toEqual([true])
  })

  it('that somebody else cancelled at the vendor end with `aborted`, and are not cancelled again', async () => {
    const server = await start({ outcomeOf: () => 'cancelled' })
    const journal = new ChatJournal()
    const program = runRecorded(async (run) => await ask(modelAt(server), 1, { run }), { journal, runId: 'r' })
    await expect(program).rejects.toMatchObject({ code: 'aborted' })
    expect(server.requests.filter(({ path }) => path.endsWith('/cancel'))).toEqual([])
  })

  it('fail with `timeout` where their vendor stays silent, and are not handed in again', async () => {
    const server = await start({
      fault: ({ method, path }) => (method === 'GET' && path.includes('batch_') ? 503 : undefined),
    })
    const failure = ask(modelAt(server, { maxRetries: 2 }), 2)
    await expect(failure).rejects.toMatchObject({ kind: 'timeout', message: expect.stringContaining('1 hour') })
    expect(server.batches).toHaveLength(1)
  })

  it('are not handed in again where their results fail for a while, or the answer to handing them in is lost', async () => {
    let failures = 0
    const isResults = ({ path }: { readonly path: string }): boolean => path.endsWith('/content')
    const failing = await start({ fault: (request) => (isResults(request) && failures++ < 4 ? 503 : undefined) })
    expect((await ask(modelAt(failing, { maxRetries: 2 }), 2)).map(textOf)).toEqual(['answer 0', 'answer 1'])
    expect(failing.batches).toHaveLength(1)
    const silent = await start({ fault: (request) => (isResults(request) ? 503 : undefined) })
    await expect(ask(modelAt(silent, { maxRetries: 2 }), 2)).rejects.toMatchObject({ kind: 'timeout' })
    expect(silent.batches).toHaveLength(1)
    const losing = await start({
      fault: ({ method, path }) => (method === 'POST' && path.endsWith('/batches') ? 'lost' : undefined),
    })
    expect((await ask(modelAt(losing, { maxRetries: 2 }), 2)).map(textOf)).toEqual(['answer 0', 'answer 1'])
    expect(losing.batches).toHaveLength(1)
  })

  it('fail at once where nothing was handed in, and count as paid where a question about their batch is refused', async () => {
    const closed = await start()
    await closed.close()
    await expect(ask(modelAt(closed), 1)).rejects.toMatchObject({ kind: 'connection' })
    const refusing = await start({
      fault: ({ method, path }) => (method === 'GET' && path.includes('batch_') ? 401 : undefined),
    })
    const model = modelAt(refusing, { price: [1, 1] })
    await expect(ask(model, 1)).rejects.toMatchObject({ kind: 'auth', message: expect.stringContaining('status 401') })
    expect(model.actualUsageSummary!.totalCost).toBeGreaterThan(0)
  })

  it('of a run that keeps nothing any more fail alone', async () => {
    const server = await start({ outcomeOf: answerTo })
    const model = modelAt(server)
    const asks = [true, false].map(async (isOver, index) => {
      const onEntry = (): void => {
        if (isOver) throw new Error('another worker has taken the chat over')
      }
      const journal = ChatJournal.load({ version: 3, kind: 'chat', entries: [] }, { onEntry })
      const messages = [{ role: 'user' as const, content: `Question ${index}` }]
      return await runRecorded(async (run) => textOf(await model.create({ messages }, { run })), {
        journal,
        runId: 'r',
      })
    })
    await expect(asks[0]).rejects.toThrow('taken the chat over')
    expect(await asks[1]).toBe('answer 1')
  })

  it('are handed in once, however often their process ends', async () => {
    const inProcess = async (server: BatchServer, entries: JournalEntry[], ends = Infinity): Promise<unknown> => {
      const end = new AbortController()
      let isOver = false
      const journal = ChatJournal.load(
        { version: 3, kind: 'chat', entries: structuredClone(entries) },
        {
          onEntry(entry) {
            if (isOver) throw new Error('the process has ended')
            entries.push(structuredClone(entry))
            isOver = entries.length >= ends
            if (isOver) end.abort()
          },
        },
      )
      const program = runRecorded(async (run) => (await ask(modelAt(server), 3, { run })).map(textOf), {
        ...{ journal, runId: 'r', signal: end.signal },
      })
      return isOver || ends < Infinity ? await program.catch(() => null) : await program
    }
    const answers = ['answer 0', 'answer 1', 'answer 2']
    const whole = await start({ polls: 2, outcomeOf: answerTo })
    const entries: JournalEntry[] = []
    expect(await inProcess(whole, entries)).toEqual(answers)
    for (let ends = 1; ends <= entries.length; ends++) {
      const server = await start({ polls: 2, outcomeOf: answerTo })
      const kept: JournalEntry[] = []
      await inProcess(server, kept, ends)
      expect(await inProcess(server, kept)).toEqual(answers)
      expect(askedIn(server)).toHaveLength(3)
    }
  })

  it('of a hosted chat count when their answers come, if others have used up the budget by then', async () => {
    const clock = { now: Date.UTC(2026, 0, 1) }
    const server = await start({ polls: 1, outcomeOf: () => ({ text: 'fine', usage: USAGE }) })
    const budget = createBudget({ calls: 1 })
    const thinker = defineChat({
      name: 'thinker',
      version: '1',
      run: async ({ run }) => (await ask(modelAt(server, { budget }), 1, { run })).map(textOf),
    })
    const host = createHost({ chats: [thinker], at: sqlite(':memory:', { now: () => clock.now }) })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    await host.submit(thinker, {}, { id: 'a' })
    await expect.poll(async () => (await host.get('a'))?.state, { interval: 5 }).toBe('suspended')
    const others = { cost: 0, tokens: 0, calls: 1 }
    ;(await budget.reserve(others)).settle(others)
    clock.now = (await host.get('a'))!.wakesAt!
    expect(await host.result('a')).toEqual(['fine'])
    expect(budget.spent).toMatchObject({ calls: 2, tokens: 1100 })
    stop.abort()
    await work
    await host.close()
  })

  it('of a hosted search keep no worker busy, and are asked for once', async () => {
    const clock = { now: Date.UTC(2026, 0, 1) }
    const server = await start({ polls: 1, outcomeOf: ({ messages }) => ({ text: replyTo(JSON.stringify(messages)) }) })
    let starts = 0
    const solve = defineChat({
      name: 'solve',
      version: '1',
      async run({ run }) {
        starts++
        const parts = modelParts({ model: modelAt(server) })
        const { answer } = await search('Which number is best?', { ...parts, method: beam({ maxDepth: 2 }), run })
        return answer
      },
    })
    const host = createHost({ chats: [solve], at: sqlite(':memory:', { now: () => clock.now }) })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    await host.submit(solve, {}, { id: 'a' })
    const hasMoved = async (): Promise<string> => {
      const chat = (await host.get('a'))!
      if (chat.state === 'suspended' && chat.wakesAt !== null) clock.now = Math.max(clock.now, chat.wakesAt)
      return chat.state
    }
    await expect.poll(hasMoved, { interval: 5, timeout: 10_000 }).toBe('done')
    expect(typeof (await host.result('a'))).toBe('string')
    const asked = askedIn(server)
    expect(starts).toBeGreaterThan(3)
    expect(asked.length).toBeGreaterThan(server.batches.length)
    expect(new Set(asked).size).toBe(asked.length)
    stop.abort()
    await work
    await host.close()
  })
})

/** The requests of all batches. */
const askedIn = ({ batches }: BatchServer): readonly string[] =>
  batches.flatMap(({ requests }) => requests.map((request) => JSON.stringify(request)))

/** Replies of a model in a search, by the prompt. */
function replyTo(prompt: string): string {
  if (/rate|Rate|rating/u.test(prompt)) return '{"rating": 7}'
  if (/options|Options/u.test(prompt))
    return 'REFLECTION:\nGo on.\n\n**Possible Options:**\nOption 1: take seven\nOption 2: take nine'
  return 'Nine.'
}
