import { ChatJournal, ConversableAgent } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import { createHost, defineChat, sqlite } from '@x/host'
import type { ConfigEntry, HostedChat, JournalEntry, LlmConfig, ModelEvent, ModelResponse, Run } from '@x/interfaces'
import { createBudget, ModelWrapper } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { createOpenAI } from '@x/provider-openai'
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

const USAGE = { prompt: 1000, completion: 100 }
const ONE_CALL = { cost: 0, tokens: 0, calls: 1 }
const request = { messages: [{ role: 'user' as const, content: 'Think long' }] }

/** A provider for which the time between two questions passes at once; it tells the seconds. */
function quickOpenAI(onSleep: (seconds: number) => void = () => {}): ReturnType<typeof createOpenAI> {
  let now = 1_000_000_000
  const sleep = async (ms: number): Promise<void> => {
    now += ms
    onSleep(ms / 1000)
  }
  return createOpenAI({ clock: { sleep, random: () => 0.5 }, now: () => now })
}

function modelAt({ url }: BatchServer, more: ConfigEntry = {}, provider = quickOpenAI()): ModelWrapper {
  const entry = { model: 'gpt-5.5', apiType: 'openai', api: 'responses', baseUrl: url, apiKey: 'k', background: true }
  return new ModelWrapper({
    ...{ providers: [provider, anthropic], cacheSeed: null, io: { send: () => {}, input: () => '' } },
    configList: [{ ...entry, ...more }],
  })
}

/** Asks an agent with a model. */
async function replyBy(model: ModelWrapper, run: Run): Promise<unknown> {
  const config: LlmConfig = { config: {}, with: () => config, where: () => config, createModel: () => model }
  const agent = new ConversableAgent({ name: 'thinker', llmConfig: config })
  return await agent.generateReply({ messages: request.messages, run })
}

const textOf = ({ choices }: ModelResponse): unknown => choices[0]?.message.content
const polls = ({ requests }: BatchServer): number => requests.filter(({ method }) => method === 'GET').length

describe('an answer in the background', () => {
  it('is asked for until it is there, and costs what any other does', async () => {
    const server = await start({ polls: 3, outcomeOf: () => ({ text: 'fine', usage: USAGE }) })
    const budget = createBudget({ calls: 1 })
    const model = modelAt(server, { budget })
    expect(textOf(await model.create(request))).toBe('fine')
    expect(polls(server)).toBe(4)
    expect(budget.spent).toMatchObject({ calls: 1, tokens: 1100 })
    expect(server.batches[0]!.requests[0]).toMatchObject({ background: true, store: true })
  })

  it('is asked for less often the older it is', async () => {
    const seconds: number[] = []
    let at = 1_000_000_000
    const sleep = async (ms: number): Promise<void> => {
      seconds.push(ms / 1000)
      at += ms
    }
    const provider = createOpenAI({ clock: { sleep, random: () => 0 }, now: () => at })
    const server = await start({ polls: 30 })
    await modelAt(server, {}, provider).create(request)
    expect(seconds.slice(0, 5)).toEqual([2, 2, 2, 2, 2])
    expect(seconds.at(-1)).toBe(60)
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b))
  })

  it('comes as events where a stream is asked for', async () => {
    const server = await start()
    const events: ModelEvent[] = []
    const stream = modelAt(server).createStream(request)
    let next = await stream.next()
    for (; !next.done; next = await stream.next()) events.push(next.value)
    expect(textOf(next.value)).toBe('answer 0')
    expect(JSON.stringify(events)).toContain('answer 0')
  })

  it('waits a provider out that does not answer for a while, and no longer', async () => {
    let asked = 0
    const isPoll = ({ method }: { method: string }): boolean => method === 'GET'
    const server = await start({ fault: (question) => (isPoll(question) && asked++ < 4 ? 503 : undefined) })
    expect(textOf(await modelAt(server).create(request))).toBe('answer 0')
    expect(server.batches).toHaveLength(1)
    const silent = await start({ fault: (question) => (isPoll(question) ? 503 : undefined) })
    const failure = modelAt(silent).create(request)
    await expect(failure).rejects.toMatchObject({ kind: 'timeout', message: expect.stringContaining('300 seconds') })
    // It may still come, and is not paid for twice.
    expect(silent.batches).toHaveLength(1)
  })

  it('that failed is asked for again, and one that was cancelled is not', async () => {
    let count = 0
    const server = await start({ outcomeOf: () => (count++ < 2 ? { status: 500 } : { text: 'at last' }) })
    expect(textOf(await modelAt(server).create(request))).toBe('at last')
    const cancelled = await start({ outcomeOf: () => 'cancelled' })
    await expect(modelAt(cancelled).create(request)).rejects.toThrow('cancelled at its provider')
    expect(cancelled.batches).toHaveLength(1)
  })

  it('is cancelled by a caller that leaves', async () => {
    const stop = new AbortController()
    let sleeps = 0
    const provider = quickOpenAI(() => {
      if (++sleeps === 3) stop.abort()
    })
    const server = await start({ polls: 1000 })
    const answer = modelAt(server, {}, provider).create(request, { signal: stop.signal })
    await expect(answer).rejects.toThrow(expect.objectContaining({ code: 'aborted' }))
    await expect.poll(() => server.batches.map(({ isCancelled }) => isCancelled), { interval: 2 }).toEqual([true])
  })

  it.each([
    ['chat completions', { api: 'chat' }],
    ['another provider', { apiType: 'anthropic', api: undefined, max_tokens: 100 }],
  ])('is refused by %s before anything is sent', async (_, more) => {
    const server = await start()
    const refused = { code: 'invalid-argument', details: { key: 'background' } }
    await expect(modelAt(server, more as ConfigEntry).create(request)).rejects.toMatchObject(refused)
    expect(server.requests).toEqual([])
  })

  it.each([
    [
      'a question of the program',
      async (model: ModelWrapper, run: Run) => textOf(await model.create(request, { run })),
    ],
    ['a reply of an agent', async (model: ModelWrapper, run: Run) => await replyBy(model, run)],
  ])('of %s is asked for once, however often its process ends', async (_, ask) => {
    const inProcess = async (server: BatchServer, entries: JournalEntry[], ends = Infinity): Promise<unknown> => {
      const end = new AbortController()
      let count = 0
      const provider = quickOpenAI(() => {
        if (++count === ends) end.abort()
      })
      const journal = ChatJournal.load(
        { version: 3, kind: 'chat', entries: structuredClone(entries) },
        { onEntry: (entry) => void entries.push(structuredClone(entry)) },
      )
      return await runRecorded(async (run) => await ask(modelAt(server, {}, provider), run), {
        ...{ journal, runId: 'r', signal: end.signal },
      })
    }
    let failures = 0
    // The first question of each process fails.
    const isFailing = ({ method }: { readonly method: string }): boolean => method === 'GET' && failures-- > 0
    const server = await start({ polls: 9, fault: (question) => (isFailing(question) ? 503 : undefined) })
    const entries: JournalEntry[] = []
    for (const ends of [1, 2, 1]) {
      failures = 1
      await expect(inProcess(server, entries, ends)).rejects.toMatchObject({ code: 'aborted' })
    }
    failures = 1
    expect(await inProcess(server, entries)).toBe('answer 0')
    expect(server.batches).toHaveLength(1)
    expect(server.batches[0]!.isCancelled).toBe(false)
    const asked = server.requests.length
    expect(await inProcess(server, entries)).toBe('answer 0')
    expect(server.requests).toHaveLength(asked)
  })

  it('of a hosted agent keeps no worker busy, and counts once in a budget that others use up meanwhile', async () => {
    const clock = { now: Date.UTC(2026, 0, 1) }
    const server = await start({ polls: 2, createdAt: 1, outcomeOf: () => ({ text: 'fine', usage: USAGE }) })
    const budget = createBudget({ calls: 1 })
    const starts: number[] = []
    const thinker = defineChat({
      name: 'thinker',
      version: '1',
      async run({ run }) {
        starts.push(server.requests.length)
        return await replyBy(modelAt(server, { budget }), run)
      },
    })
    const host = createHost({ chats: [thinker], at: sqlite(':memory:', { now: () => clock.now }) })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    await host.submit(thinker, {}, { id: 'a' })
    for (const asked of [1, 2, 3]) {
      const sleeping = async (): Promise<HostedChat | null> => {
        const chat = await host.get('a')
        return server.requests.length === asked && chat?.state === 'suspended' ? chat : null
      }
      await expect.poll(sleeping, { interval: 2 }).not.toBeNull()
      const { wakesAt } = (await host.get('a'))!
      expect(Math.round((wakesAt! - clock.now) / 1000)).toBe(60)
      if (asked === 1) (await budget.reserve(ONE_CALL)).settle(ONE_CALL)
      clock.now = wakesAt!
    }
    expect(await host.result('a')).toBe('fine')
    expect(server.batches).toHaveLength(1)
    expect(starts).toEqual([0, 1, 2, 3])
    expect(budget.spent).toMatchObject({ calls: 2, tokens: 1100 })
    stop.abort()
    await work
    await host.close()
  })
})
