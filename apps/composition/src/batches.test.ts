import { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import { createHost, defineChat, sqlite } from '@x/host'
import type { BatchResult, ConfigEntry, JournalEntry, Run, UsageSummary } from '@x/interfaces'
import { createBudget, ModelWrapper } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { startBatchServer, type BatchServer, type BatchServerOptions } from '@x/testing/wire'
import { afterEach, describe, expect, it } from 'vitest'

const servers: BatchServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.close()))
})

type Vendor = BatchServerOptions['vendor']

const VENDORS: readonly Vendor[] = ['openai', 'anthropic', 'google']

const ENTRIES: Readonly<Record<Vendor, ConfigEntry>> = {
  openai: { model: 'gpt-5-mini', apiType: 'openai' },
  anthropic: { model: 'claude-haiku-4-5', apiType: 'anthropic', max_tokens: 100 },
  google: { model: 'gemini-2.5-flash', apiType: 'google' },
}

const USAGE = { prompt: 1000, completion: 100 }

async function start(options: BatchServerOptions): Promise<BatchServer> {
  const server = await startBatchServer(options)
  servers.push(server)
  return server
}

const modelAt = (vendor: Vendor, { url }: BatchServer, more: ConfigEntry = {}): ModelWrapper =>
  new ModelWrapper({
    ...{ providers: [openai, anthropic, google], cacheSeed: null, io: { send: () => {}, input: () => '' } },
    configList: [{ ...ENTRIES[vendor], baseUrl: url, apiKey: 'k', ...more }],
  })

const questions = (count: number): { messages: [{ role: 'user'; content: string }] }[] =>
  Array.from({ length: count }, (_, index) => ({ messages: [{ role: 'user', content: `Question ${index}` }] }))

const read = (results: readonly BatchResult[]): unknown[] =>
  results.map(({ response, error }) => response?.choices[0]?.message.content ?? (error as { kind?: string }).kind)

const soon = async (): Promise<void> => {}

describe.each(VENDORS)('a batch of %s', (vendor) => {
  it('gives each request its own result, in their order and at half the price', async () => {
    const server = await start({
      vendor,
      polls: 2,
      outcomeOf: (_, index) => ({ text: `answer ${index}`, usage: USAGE }),
    })
    const model = modelAt(vendor, server)
    const results = await model.batch(questions(5), { sleep: soon })
    expect(read(results)).toEqual(['answer 0', 'answer 1', 'answer 2', 'answer 3', 'answer 4'])
    expect(server.batches).toHaveLength(1)
    expect(JSON.stringify(server.batches[0]!.requests[3])).toContain('Question 3')
    const { response } = results[0]!
    const price = priceOf(vendor, response!.model)
    expect(response!.cost).toBeCloseTo(price / 2, 8)
    expect(model.actualUsageSummary?.totalCost).toBeCloseTo((price / 2) * 5, 8)
  })

  it('tells which requests failed, and why', async () => {
    const ends = [{ text: 'fine' }, { status: 400 }, { status: 429 }, { text: 'too' }] as const
    const server = await start({ vendor, outcomeOf: (_, index) => ends[index]! })
    const results = await modelAt(vendor, server).batch(questions(4), { sleep: soon })
    expect(read(results)).toEqual(['fine', 'invalid-request', 'rate-limit', 'too'])
  })

  it('tells which requests were not answered in time', async () => {
    const server = await start({ vendor, outcomeOf: (_, index) => (index === 1 ? 'expired' : { text: 'fine' }) })
    const model = modelAt(vendor, server)
    const results = await model.batch(questions(3), { sleep: soon })
    expect(read(results)).toEqual(['fine', 'timeout', 'fine'])
    expect(results[1]!.error?.message).toContain('expired')
  })

  it('is cancelled at the vendor when its caller stops it', async () => {
    const server = await start({ vendor, polls: 1000 })
    const stop = new AbortController()
    let sleeps = 0
    const sleep = async (): Promise<void> => {
      if (++sleeps === 3) stop.abort()
    }
    const batch = modelAt(vendor, server).batch(questions(2), { sleep, signal: stop.signal })
    await expect(batch).rejects.toThrow(expect.objectContaining({ code: 'aborted' }))
    expect(server.batches.map(({ isCancelled }) => isCancelled)).toEqual([true])
  })

  it('waits a vendor out that does not answer for a while, and no longer', async () => {
    let asked = 0
    const isPoll = ({ method, path }: { method: string; path: string }): boolean =>
      method === 'GET' && /batch(?:es)?[/_]\w*\d$/u.test(path)
    const server = await start({ vendor, fault: (request) => (isPoll(request) && asked++ < 4 ? 503 : undefined) })
    expect(read(await modelAt(vendor, server).batch(questions(1), { sleep: soon }))).toEqual(['answer 0'])
    const silent = await start({ vendor, fault: (request) => (isPoll(request) ? 503 : undefined) })
    await expect(modelAt(vendor, silent).batch(questions(1), { sleep: soon })).rejects.toMatchObject({ status: 503 })
  })

  it('has its results asked for again where the vendor does not tell them for a while', async () => {
    let isOver = false
    let failures = 0
    const isResults = ({ path }: { readonly path: string }): boolean => /content$|results$/u.test(path) || isOver
    const server = await start({
      vendor,
      polls: 0,
      fault({ method, path }) {
        if (method === 'GET' && isResults({ path }) && failures++ < 3) return 503
        // Google's results are in the answer that says that they are there.
        if (vendor === 'google' && method === 'GET') isOver = true
        return undefined
      },
    })
    expect(read(await modelAt(vendor, server).batch(questions(2), { sleep: soon }))).toEqual(['answer 0', 'answer 1'])
    expect(failures).toBeGreaterThan(2)
    expect(server.batches).toHaveLength(1)
  })

  it('is handed in once, however often its process ends', async () => {
    const whole = await start({ vendor, polls: 2 })
    const kept = await inProcess(modelAt(vendor, whole), [])
    for (let count = 1; count <= kept.entries.length; count++) {
      const server = await start({ vendor, polls: 2 })
      const model = modelAt(vendor, server)
      const first = await inProcess(model, [], count)
      const again = await inProcess(model, first.entries)
      expect(again.value).toEqual(kept.value)
      expect(server.batches).toHaveLength(1)
    }
  })

  it('is found again when the answer that it was handed in is lost', async () => {
    let isLost = false
    const server = await start({
      vendor,
      fault({ method, path }) {
        const isCreation = method === 'POST' && /batches$|batchGenerateContent$/u.test(path)
        if (!isCreation || isLost) return undefined
        isLost = true
        return 'lost'
      },
    })
    const model = modelAt(vendor, server)
    const entries: JournalEntry[] = []
    await expect(inProcess(model, entries)).rejects.toMatchObject({ kind: 'connection' })
    expect(server.batches).toHaveLength(1)
    const { value } = await inProcess(model, entries)
    expect(value).toEqual(['answer 0', 'answer 1'])
    expect(server.batches).toHaveLength(1)
  })
})

describe.each(['openai', 'anthropic'] as const)('the results of a batch of %s', (vendor) => {
  it('may be longer than any other body, as long as none of them is', async () => {
    const server = await start({ vendor, polls: 0, outcomeOf: () => ({ text: 'x'.repeat(800) }) })
    const limits = { maxBodyBytes: 2000, maxEventBytes: 2000 }
    const answers = await modelAt(vendor, server, limits).batch(questions(4), { sleep: soon })
    expect(read(answers)).toEqual(Array.from({ length: 4 }, () => 'x'.repeat(800)))
    const narrow = modelAt(vendor, server, { ...limits, maxEventBytes: 800 }).batch(questions(1), { sleep: soon })
    await expect(narrow).rejects.toThrow('`maxEventBytes`')
  })
})

/** Price of the usage of a test, asked one by one. */
function priceOf(vendor: Vendor, model: string): number {
  const client = { openai, anthropic, google }[vendor].createClient({ ...ENTRIES[vendor], apiKey: 'k' })
  const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
  return client.cost({ id: 'a', model, created: 0, choices: [], usage })!
}

/** Asks a batch in a journaled run; the process ends with the entry of number `ends`. `entries` gets what is kept. */
async function inProcess(
  model: ModelWrapper,
  entries: JournalEntry[],
  ends = Infinity,
): Promise<{ readonly value: unknown; readonly used?: UsageSummary; readonly entries: JournalEntry[] }> {
  const written = entries
  let isOver = false
  const end = new AbortController()
  const journal = ChatJournal.load(
    { version: 3, kind: 'chat', entries: structuredClone(entries) },
    {
      onEntry(entry) {
        if (isOver) throw new Error('the process has ended')
        written.push(structuredClone(entry))
        isOver = written.length >= ends
        if (isOver) end.abort()
      },
    },
  )
  const ask = async (run: Run, recorded: { readonly usage: UsageSummary }) => {
    const value = read(await model.batch(questions(2), { run, sleep: soon }))
    return { value, used: recorded.usage }
  }
  try {
    return { ...(await runRecorded(ask, { journal, runId: 'r', signal: end.signal })), entries: written }
  } catch (error) {
    if (!isOver) throw error
    return { value: undefined, entries: written }
  }
}

describe('a batch', () => {
  it('counts in the budgets of its requests, at its price', async () => {
    const server = await start({ vendor: 'openai', outcomeOf: () => ({ text: 'fine', usage: USAGE }) })
    const budget = createBudget({ calls: 3 })
    const model = modelAt('openai', server, { budget })
    await model.batch(questions(2), { sleep: soon })
    expect(budget.spent).toMatchObject({ calls: 2, tokens: 2200 })
    expect(budget.spent.cost).toBeCloseTo(model.actualUsageSummary!.totalCost, 8)
    await expect(model.batch(questions(2), { sleep: soon })).rejects.toThrow(
      expect.objectContaining({ code: 'budget-exceeded' }),
    )
    expect(server.batches).toHaveLength(1)
    expect(budget.spent.calls).toBe(2)
  })

  it('counts each answer in the budget of its own request', async () => {
    const outcomeOf: BatchServerOptions['outcomeOf'] = (_, index) => ({
      text: 'fine',
      usage: { prompt: 100 * (index + 1), completion: 1 },
    })
    const server = await start({ vendor: 'openai', outcomeOf })
    const budget = createBudget({ calls: 3 })
    const [first, second] = questions(2)
    await modelAt('openai', server).batch([first!, { ...second!, budget }], { sleep: soon })
    expect(budget.spent).toMatchObject({ calls: 1, tokens: 201 })
  })

  it('counts once in a budget and in the usage of its run, however often that starts again', async () => {
    const server = await start({ vendor: 'openai', outcomeOf: () => ({ text: 'fine', usage: USAGE }) })
    const budget = createBudget({ calls: 10 })
    const { entries, used } = await inProcess(modelAt('openai', server, { budget }), [])
    expect(used?.totalCost).toBeCloseTo(budget.spent.cost, 8)
    expect((await inProcess(modelAt('openai', server, { budget }), entries)).used).toEqual(used)
    expect(budget.spent).toMatchObject({ calls: 2, tokens: 2200 })
  })

  it('of a run with a journal counts what was paid, even if its budget is used up by then', async () => {
    const server = await start({
      vendor: 'openai',
      outcomeOf: () => ({ text: 'fine', usage: { prompt: 5000, completion: 100 } }),
    })
    const budget = createBudget({ tokens: 5000 })
    const runs = [1, 2].map(async () => await inProcess(modelAt('openai', server, { budget }), []))
    await Promise.all(runs)
    await expect(modelAt('openai', server, { budget }).batch(questions(1))).rejects.toThrow('budget')
    expect(budget.spent).toMatchObject({ calls: 4, tokens: 20_400 })
  })

  it('holds its requests to what is left of a strict budget, and to the price that it knows', async () => {
    const server = await start({ vendor: 'openai', polls: 0 })
    const ask = async (count: number, more: ConfigEntry): Promise<unknown> =>
      read(await modelAt('openai', server, more).batch(questions(count), { sleep: soon }))
    await ask(1, { budget: createBudget({ tokens: 5000, strict: true }) })
    await ask(1, { budget: createBudget({ cost: 9, strict: true }) })
    const [held, free] = server.batches.map(({ requests }) => requests[0]!)
    expect(held!['max_completion_tokens']).toSatisfy((most: number) => most > 4900 && most < 5000)
    expect(free).not.toHaveProperty('max_completion_tokens')
    const budget = createBudget({ cost: 9, strict: true })
    await expect(ask(1, { budget, model: 'unknown' })).rejects.toThrow('its price is not known')
    await expect(ask(2, { budget: createBudget({ tokens: 5000, strict: true }) })).rejects.toThrow('budget of 5000')
    expect(server.batches).toHaveLength(2)
  })

  it('does not keep another one out of a budget that holds one of them', async () => {
    const server = await start({ vendor: 'openai', polls: 0 })
    const model = modelAt('openai', server, { budget: createBudget({ calls: 9 }) })
    const batches = [1, 2].map(async () => await model.batch(questions(6), { sleep: soon }))
    const ends = await Promise.allSettled(batches)
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  it('of no requests asks nobody, and one that no provider takes is refused', async () => {
    const server = await start({ vendor: 'openai' })
    expect(await modelAt('openai', server).batch([])).toEqual([])
    const plain = new ModelWrapper({
      providers: [{ apiTypes: ['plain'], specVersion: 1, createClient: () => ({ create() {} }) as never }],
      configList: [{ model: 'm', apiType: 'plain' }],
    })
    await expect(plain.batch(questions(1))).rejects.toThrow('no provider of `m` has batches')
    expect(server.requests).toEqual([])
  })

  it('keeps no worker busy in a hosted chat', async () => {
    const server = await start({ vendor: 'anthropic', polls: 3 })
    const starts: number[] = []
    const grade = defineChat({
      name: 'grade',
      version: '1',
      async run({ run, sleep }) {
        starts.push(server.requests.length)
        // A minute of the vendor is a moment here.
        const short = async (seconds: number): Promise<void> => await sleep(seconds / 10_000)
        return read(await modelAt('anthropic', server).batch(questions(3), { run, sleep: short }))
      },
    })
    const host = createHost({ chats: [grade], at: sqlite(':memory:') })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    await host.submit(grade, {}, { id: 'a' })
    expect(await host.result('a')).toEqual(['answer 0', 'answer 1', 'answer 2'])
    // Each wait ends the turn; what was asked before it is recalled.
    expect(starts.length).toBeGreaterThan(3)
    expect(server.batches).toHaveLength(1)
    expect(server.requests).toHaveLength(6)
    stop.abort()
    await work
    await host.close()
  })

  it('of a hosted chat is waited for while its vendor cannot tell whether it is there', async () => {
    const clock = { now: Date.UTC(2026, 0, 1) }
    const first = new AbortController()
    const server = await start({
      ...{ vendor: 'anthropic', polls: 3 },
      fault({ method, path }) {
        if (first.signal.aborted || method !== 'POST' || !path.endsWith('batches')) return undefined
        first.abort()
        return 'lost'
      },
    })
    const grade = defineChat({
      name: 'grade',
      version: '1',
      run: async ({ run, sleep }) => read(await modelAt('anthropic', server).batch(questions(2), { run, sleep })),
    })
    const host = createHost({ chats: [grade], at: sqlite(':memory:', { now: () => clock.now }) })
    const over = host.work({ signal: first.signal })
    await host.submit(grade, {}, { id: 'a' })
    await over
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    const hasMoved = async (): Promise<string> => {
      const { state, wakesAt } = (await host.get('a'))!
      if (state === 'suspended' && wakesAt !== null) clock.now = Math.max(clock.now, wakesAt)
      return state
    }
    await expect.poll(hasMoved, { interval: 2 }).toBe('done')
    expect(await host.result('a')).toEqual(['answer 0', 'answer 1'])
    expect(server.batches).toHaveLength(1)
    stop.abort()
    await work
    await host.close()
  })

  it('of a hosted chat is cancelled at the vendor by a message', async () => {
    const server = await start({ vendor: 'openai', polls: 1000 })
    const grade = defineChat({
      name: 'grade',
      version: '1',
      async run({ run, receive }) {
        const stop = new AbortController()
        const sleep = async (): Promise<void> => {
          if ((await receive()) === 'stop') stop.abort()
        }
        const options = { run, sleep, signal: stop.signal }
        return await modelAt('openai', server)
          .batch(questions(2), options)
          .catch((error: Error) => error.message)
      },
    })
    const host = createHost({ chats: [grade], at: sqlite(':memory:') })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    await host.submit(grade, {}, { id: 'a' })
    await host.send('a', 'wait')
    await host.send('a', 'stop')
    expect(await host.result('a')).toBe('the batch was stopped by the caller')
    expect(server.batches.map(({ isCancelled }) => isCancelled)).toEqual([true])
    stop.abort()
    await work
    await host.close()
  })
})
