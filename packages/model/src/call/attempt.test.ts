import type {
  Listener,
  LogRecord,
  ModelClient,
  ModelResponse,
  OpenCall,
  Run,
  RunTrace,
  RunTracer,
  XEvent,
} from '@x/interfaces'
import { currentRun, runAsync, type Steps, wait } from '@x/kernel'
import { EventCounter, EventScope } from '@x/kernel/run'
import { scriptedProvider, type ScriptedReply } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { answerOf, failureOf, fakeProvider, hello, recordingIo } from '../fakes/provider.fake.ts'
import { createMemoryCache, llmConfig } from '../index.ts'
import type { ModelRuntime } from './wrapper-parts.ts'

type EventOf<T extends XEvent['type']> = Extract<XEvent, { type: T }>

const ofType = <T extends XEvent['type']>(events: readonly XEvent[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type)

/** A clock that goes on by a millisecond with each look. */
function ticking(): () => number {
  let time = 1000
  return () => time++
}

const runtime = (): ModelRuntime => ({ now: ticking(), newId: () => 'an-id', random: () => 0 })

/** A listener and what it heard. */
function listening(): { events: XEvent[]; emit: Listener } {
  const events: XEvent[] = []
  return { events, emit: (event) => void events.push(event) }
}

/** The events of a call of models in order. */
async function eventsOf(...replies: ScriptedReply[]): Promise<XEvent[]> {
  const byModel = Object.fromEntries(replies.map((each, at) => [`model-${at}`, [each]]))
  const model = llmConfig({
    providers: [scriptedProvider(byModel)],
    cacheSeed: null,
    runtime: runtime(),
    configList: replies.map((_, at) => ({ apiType: 'scripted', model: `model-${at}`, price: [1, 2] })),
  }).createModel()
  const { events, emit } = listening()
  await model.create({ messages: hello }, { emit })
  return events
}

describe('the end of an attempt', () => {
  it('has the kind of a failure, or the tokens and cost of an answer', async () => {
    const events = await eventsOf({ error: 'rate-limit' }, { content: 'Hello.', usage: [1000, 500] })
    const ends = ofType(events, 'modelAttemptEnd')
    expect(ends.map(({ model, outcome, kind, usage, cost }) => ({ model, outcome, kind, usage, cost }))).toEqual([
      { model: 'model-0', outcome: 'error', kind: 'rate-limit', usage: null, cost: null },
      {
        model: 'model-1',
        outcome: 'ok',
        kind: null,
        usage: { promptTokens: 1000, completionTokens: 500, totalTokens: 1500 },
        cost: 2,
      },
    ])
  })

  it('adds the parts of tokens that are reported, also of requests before the answer', async () => {
    const parts = { cached_tokens: 4, reasoning_tokens: 2, cache_write_tokens: 3 }
    const tokens = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...parts }
    let requests = 0
    const client: ModelClient = {
      create(_, { onSend, onUsage }) {
        if (requests++ > 0) return { ...answerOf('m', 'Hello.'), usage: tokens }
        onSend?.()
        onUsage?.(tokens)
        throw failureOf('server')
      },
      clock: { sleep: () => Promise.resolve(), random: () => 0 },
      messageRetrieval: () => ['Hello.'],
      getUsage: () => ({
        ...{ model: 'm', promptTokens: 10, completionTokens: 5, totalTokens: 15, cost: 0 },
        ...{ cachedTokens: 4, reasoningTokens: 2 },
      }),
      cost: () => 0.5,
    }
    const provider = { apiTypes: ['fake'], specVersion: 1 as const, createClient: () => client }
    const { events, emit } = listening()
    const model = llmConfig({ providers: [provider], apiType: 'fake', model: 'm', cacheSeed: null }).createModel()
    await model.create({ messages: hello }, { emit })
    const usage = {
      ...{ promptTokens: 20, completionTokens: 10, totalTokens: 30 },
      ...{ cachedTokens: 8, reasoningTokens: 4, cacheWriteTokens: 6 },
    }
    expect(ofType(events, 'modelAttemptEnd')).toMatchObject([{ sendings: 2, usage, cost: 1 }])
    expect(ofType(events, 'modelCallEnd')).toMatchObject([
      { usage: { promptTokens: 10, cacheWriteTokens: 3 }, cost: 0.5 },
    ])
  })

  it('says that a cache has answered, and still names the answer', async () => {
    const { provider } = fakeProvider(['Hello.'])
    const config = { providers: [provider], apiType: 'fake', model: 'm', cache: createMemoryCache() }
    const model = llmConfig(config).createModel()
    await model.create({ messages: hello })
    const { events, emit } = listening()
    await model.create({ messages: hello }, { emit })
    const named = { responseId: 'answer', responseModel: 'm', finishReason: 'stop', firstTokenAt: null }
    expect(ofType(events, 'modelAttemptEnd')).toMatchObject([{ cached: true, sendings: 0, ...named }])
    expect(ofType(events, 'modelCallEnd')).toMatchObject([{ cached: true, configId: 0, finishReason: 'stop' }])
  })

  it('has the time of the first content of a stream', async () => {
    const model = llmConfig({
      providers: [scriptedProvider([{ content: 'one two' }])],
      ...{ apiType: 'scripted', model: 'm', cacheSeed: null, runtime: runtime() },
    }).createModel()
    const { events, emit } = listening()
    for await (const _ of model.createStream({ messages: hello }, { emit }));
    const [start] = ofType(events, 'modelAttemptStart')
    const [end] = ofType(events, 'modelAttemptEnd')
    expect(start!.streamed).toBe(true)
    expect(end!.firstTokenAt).toBeGreaterThan(start!.time)
    expect(end!.firstTokenAt).toBeLessThan(end!.time)
  })
})

describe('the start of an attempt', () => {
  const startOf = async (config: object, request: object = {}): Promise<EventOf<'modelAttemptStart'>> => {
    const { provider } = fakeProvider(['Hello.'])
    const all = { providers: [provider], apiType: 'fake', model: 'm', cacheSeed: null, ...config }
    const { events, emit } = listening()
    await llmConfig(all)
      .createModel({ io: recordingIo().io })
      .create({ messages: hello, ...request }, { emit })
    return ofType(events, 'modelAttemptStart')[0]!
  }

  it('has the parameters in the names of the wire, and no content, header or unknown one', async () => {
    const tool = { type: 'function' as const, function: { name: 'add', parameters: {} } }
    const { parameters } = await startOf(
      { temperature: 0.5, tools: [tool], extra_headers: { 'x-a': 'b' }, extra_body: { c: 'd' }, own_secret: 'e' },
      { max_tokens: 9, stop: ['.'], user: 'Ann', metadata: { f: 'g' }, tool_choice: 'auto', system: 'Be short.' },
    )
    expect(parameters).toEqual({ temperature: 0.5, max_tokens: 9, stop: ['.'], tool_choice: 'auto' })
  })

  it('has the host of the URL alone, and none for a text that is no URL', async () => {
    expect((await startOf({ baseUrl: 'https://ann:pass@models.example:8443/v1?key=abc' })).endpoint).toBe(
      'models.example:8443',
    )
    expect((await startOf({ baseUrl: 'a-key-in-the-wrong-place' })).endpoint).toBeNull()
    expect((await startOf({})).endpoint).toBeNull()
  })

  it('names no provider for a client of the program', async () => {
    class Own {
      create = () => answerOf('m', 'Hello.')
      messageRetrieval = () => ['Hello.']
      getUsage = () => ({ model: 'm', promptTokens: 1, completionTokens: 1, totalTokens: 2, cost: 0 })
      cost = () => 0
    }
    const model = llmConfig({ modelClientCls: 'Own', model: 'm', cacheSeed: null }).createModel()
    model.registerModelClient(Own)
    const { events, emit } = listening()
    await model.create({ messages: hello }, { emit })
    expect(ofType(events, 'modelAttemptStart')).toMatchObject([{ provider: null, endpoint: null, model: 'm' }])
  })

  it('has a digest that only equal messages share', async () => {
    const digestOf = async (content: string): Promise<string> =>
      (await startOf({}, { messages: [{ role: 'user', content }] })).digest
    expect(await digestOf('one')).toBe(await digestOf('one'))
    expect(await digestOf('one')).not.toBe(await digestOf('two'))
  })
})

describe('the events of a call', () => {
  it('have one run, numbers in order, times that do not go back, and parents', async () => {
    const events = await eventsOf({ error: 'rate-limit' }, { content: 'Hello.' })
    expect(events.map(({ type }) => type)).toEqual([
      'modelCallStart',
      ...['modelAttemptStart', 'modelAttemptEnd', 'modelAttemptStart', 'modelAttemptEnd'],
      'modelCallEnd',
    ])
    expect(events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5])
    expect(events.every(({ runId }) => runId === 'an-id')).toBe(true)
    expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).toSorted((a, b) => a - b))
    const [call, ...attempts] = events as EventOf<'modelCallStart'>[]
    expect(call!.parentId).toBeNull()
    expect(attempts.slice(0, 4).map(({ parentId }) => parentId)).toEqual(Array(4).fill(call!.id))
  })

  it('have warnings inside the attempt that they are about', async () => {
    const unpriced = fakeProvider([(_, { warn }) => (warn?.('left-out', 'a part was left out'), 'Hello.')], {
      cost: null,
    })
    const config = { providers: [unpriced.provider], apiType: 'fake', model: 'm', cacheSeed: null }
    const { events, emit } = listening()
    await llmConfig(config).createModel().create({ messages: hello, agent: 'ann' }, { emit })
    const [attempt] = ofType(events, 'modelAttemptStart')
    expect(ofType(events, 'warning')).toMatchObject([
      { topic: 'left-out', parentId: attempt!.id, agent: 'ann', agentPath: ['ann'] },
      { topic: 'unpriced', parentId: attempt!.parentId, agent: 'ann', agentPath: ['ann'] },
    ])
    expect(ofType(events, 'modelAttemptEnd')).toMatchObject([{ cost: null }])
    expect(ofType(events, 'modelCallEnd')).toMatchObject([{ cost: null }])
  })

  it('have warnings without keys, also those of links in the request', async () => {
    const text = 'the link `https://me:pass@host/a?sig=signed` is not taken with the key `key-of-the-config`'
    const { provider } = fakeProvider([(_, { warn }) => (warn?.('content', text), 'Hello.')])
    const config = { providers: [provider], apiType: 'fake', model: 'm', apiKey: 'key-of-the-config', cacheSeed: null }
    const { events, emit } = listening()
    await llmConfig(config).createModel().create({ messages: hello, agent: 'ann' }, { emit })
    expect(ofType(events, 'warning').map((warning) => warning.text)).toEqual([
      'the link `https://[redacted]@host/a?sig=[redacted]` is not taken with the key `[redacted]`',
    ])
  })

  it('go to the `io` as warnings and summaries alone, outside of runs', async () => {
    const { provider } = fakeProvider(['Hello.'], { cost: null })
    const recorded = recordingIo()
    const config = { providers: [provider], apiType: 'fake', model: 'm', cacheSeed: null, runtime: { now: () => 5 } }
    const model = llmConfig(config).createModel({ io: recorded.io })
    await model.create({ messages: hello })
    model.printUsageSummary()
    const envelope = { runId: null, seq: 0, time: 5, chatId: null, agentPath: null, parentId: null }
    expect(recorded.events).toMatchObject([
      { type: 'warning', topic: 'unpriced', ...envelope },
      { type: 'usageSummary', ...envelope },
    ])
  })

  it('have no content if the caller wants none', async () => {
    const { provider } = fakeProvider(['A secret answer.'])
    const model = llmConfig({ providers: [provider], apiType: 'fake', model: 'm', cacheSeed: null }).createModel()
    const { events, emit } = listening()
    await model.create({ messages: hello }, { emit, events: { content: false } })
    expect(events).toHaveLength(4)
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it('have a message with calls as a whole', async () => {
    const call = { id: 'c', function: { name: 'add', arguments: '{"a":2}' } }
    const [, , , end] = await eventsOf({ tool_calls: [call] })
    expect(end).toMatchObject({ type: 'modelCallEnd', finishReason: 'tool_calls', message: { tool_calls: [call] } })
  })
})

/** A scope that keeps the answers of calls, as that of a tool in a chat with a journal does. */
class KeepingScope extends EventScope {
  readonly log: unknown[]
  readonly kept: { value: unknown }[]
  readonly tellsRecalled: boolean

  constructor(log: unknown[], kept: { value: unknown }[], tellsRecalled: boolean) {
    super(new EventCounter(ticking(), () => 'a-run'), undefined, { spanId: 'the-tool' })
    this.log = log
    this.kept = kept
    this.tellsRecalled = tellsRecalled
  }

  open(run: Run): OpenCall {
    const known = this.kept[0]
    const keep = (value: unknown): void => {
      this.log.push('keep')
      this.kept.push({ value })
    }
    const call = {
      place: '1.0',
      spanId: '1.0',
      begunBefore: false,
      isUntold: false,
      run,
      known,
      beforeCall: async () => void (await Promise.resolve(this.log.push('before'))),
      keep,
      recorded: true,
      end: () => {},
    }
    return { ...call, part: () => ({ known: undefined, keep: () => {} }) }
  }
}

describe('a call in a run with a journal', () => {
  const asked = async (
    kept: { value: unknown }[],
    { tellsRecalled = false, streamed = false } = {},
  ): Promise<{ log: unknown[]; events: XEvent[]; response: ModelResponse }> => {
    const { provider } = fakeProvider(['Hello.'], { cost: null })
    const config = { providers: [provider], apiType: 'fake', model: 'm', cacheSeed: null }
    const model = llmConfig(config).createModel({ io: recordingIo().io })
    const log: unknown[] = []
    const events: XEvent[] = []
    const scope = new KeepingScope(log, kept, tellsRecalled)
    const emit = (event: XEvent): void => {
      log.push(event.type)
      events.push(event)
    }
    function* steps(): Steps<ModelResponse> {
      const run = yield* currentRun()
      if (!streamed) return yield* wait(model.create({ messages: hello }, { run }), 'the model')
      const stream = model.createStream({ messages: hello }, { run })
      return yield* wait(
        (async () => {
          for (;;) {
            const { done, value } = await stream.next()
            if (done) return value
          }
        })(),
        'the model',
      )
    }
    const response = await runAsync<ModelResponse, never, XEvent>(steps() as never, { scope, emit })
    return { log, events, response }
  }

  it.each([false, true])(
    'asks the journal first, and sends its end before the answer is kept (streamed: %s)',
    async (streamed) => {
      const { log, events } = await asked([], { streamed })
      expect(log.filter((entry) => entry !== 'warning')).toEqual([
        'before',
        ...['modelCallStart', 'modelAttemptStart', 'modelAttemptEnd', 'modelCallEnd'],
        'keep',
      ])
      expect(ofType(events, 'modelCallStart')).toMatchObject([{ id: '1.0', parentId: 'the-tool' }])
    },
  )

  it('tells a kept answer only to a listener who wants it again', async () => {
    const kept: { value: unknown }[] = []
    const first = await asked(kept)
    const again = await asked(kept)
    expect(again.log).toEqual([])
    const told = await asked(kept, { tellsRecalled: true })
    const [end] = ofType(first.events, 'modelCallEnd')
    expect(told.events).toMatchObject([
      { type: 'modelCallStart', id: '1.0', recalled: true, resumed: true },
      { type: 'modelCallEnd', id: '1.0', recalled: true, usage: end!.usage, cost: null, message: end!.message },
    ])
    expect(told.log).toEqual(['modelCallStart', 'modelCallEnd'])
    for (const { response } of [first, again]) expect(response).toMatchObject({ cost: 0, unpriced: true })
  })
})

describe('a call that a tracer follows', () => {
  /** A tracer that takes attempts, and gives the id of a span as its context. */
  function tracing(propagates = true): { readonly events: XEvent[]; readonly tracer: RunTracer } {
    const events: XEvent[] = []
    const trace: RunTrace = {
      ...{ propagates, takes: new Set(['modelCallStart', 'modelAttemptStart', 'modelAttemptEnd']) },
      take: (event) => void events.push(event),
      contextOf: (spanId) => ({ traceparent: `of ${spanId}` }),
    }
    return { events, tracer: { begin: () => trace } }
  }

  it('tells its trace alone, and its `io` of warnings as before', async () => {
    const { io, events: printed } = recordingIo()
    const { provider } = fakeProvider(['Hello.'], { cost: null })
    const config = llmConfig({ providers: [provider], apiType: 'fake', model: 'm', cacheSeed: null })
    const model = config.createModel({ io })
    const { events, tracer } = tracing()
    await model.create({ messages: hello }, { tracer })
    expect(events.map(({ type }) => type)).toEqual(['modelCallStart', 'modelAttemptStart', 'modelAttemptEnd'])
    expect(printed.map(({ type }) => type)).toEqual(['warning'])
  })

  it.each([true, false])('gives its client and its log the context of the attempt (propagates: %s)', async (sent) => {
    const traces: unknown[] = []
    const { provider } = fakeProvider([
      (_, { trace }) => {
        traces.push(trace)
        return answerOf('m', 'Hello.')
      },
    ])
    const log: LogRecord[] = []
    const config = llmConfig({ providers: [provider], apiType: 'fake', model: 'm', cacheSeed: null })
    const model = config.createModel({ logger: { log: (record) => void log.push(record) } })
    const { events, tracer } = tracing(sent)
    await model.create({ messages: hello }, { tracer })
    const traceparent = `of ${ofType(events, 'modelAttemptStart')[0]!.id}`
    expect(traces).toEqual([sent ? { traceparent } : undefined])
    expect(log.at(-1)).toMatchObject({ record: 'chatCompletion', traceparent })
    await model.create({ messages: hello })
    expect(log.at(-1)).not.toHaveProperty('traceparent')
    expect(traces.at(-1)).toBeUndefined()
  })
})
