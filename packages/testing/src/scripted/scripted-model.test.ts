import type { Budget, LlmConfig, ModelEvent, ModelResponse } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { describe, expect, it } from 'vitest'
import { foldEvents } from './fold-events.ts'
import { functionModel, scriptedModel } from './scripted-model.ts'
import { simulatedModel } from './simulated-model.ts'
import { withRun } from './with-run.steps.ts'

const ask = { messages: [{ role: 'user', content: 'hi' }] } as const
const textOf = (response: ModelResponse): unknown => response.messageRetrievalFunction(response)[0]

async function drained(config: LlmConfig): Promise<{ events: ModelEvent[]; response: ModelResponse }> {
  const stream = config.createModel().createStream({ messages: [...ask.messages] })
  const events: ModelEvent[] = []
  for (;;) {
    const { done, value } = await stream.next()
    if (done) return { events, response: value }
    events.push(value)
  }
}

describe('a scripted model', () => {
  it('gives its replies in order, in every face', async () => {
    const llm = scriptedModel(['one', { content: 'two' }, 'three'])
    const model = llm.createModel()
    expect(textOf(model.createSync({ messages: [...ask.messages] }))).toBe('one')
    expect(textOf(await model.create({ messages: [...ask.messages] }))).toBe('two')
    expect(textOf((await drained(llm)).response)).toBe('three')
    expect(llm.calls.map(({ face }) => face)).toEqual(['sync', 'async', 'stream'])
    llm.assertComplete()
  })

  it('refuses a reply with a key that no message has', async () => {
    const model = scriptedModel([{ text: 'hello' } as never]).createModel()
    await expect(model.create({ messages: [...ask.messages] })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('`text`') as string,
    })
  })

  it('logs frozen copies of its requests', async () => {
    const tool = { type: 'function', function: { name: 'add' } } as const
    const llm = scriptedModel(['a'], { config: { temperature: 0 } })
    const messages = [{ role: 'user', content: 'hi' } as const]
    await llm
      .with({ tools: [tool] })
      .createModel()
      .create({ messages, top_p: 1, agent: 'bob', sample: 2 })
    messages.pop()
    expect(llm.calls).toEqual([
      {
        messages: [{ role: 'user', content: 'hi' }],
        tools: [tool],
        model: 'scripted',
        params: { temperature: 0, top_p: 1 },
        face: 'async',
        agent: 'bob',
        sample: 2,
      },
    ])
    expect(Object.isFrozen(llm.calls[0]!.messages[0])).toBe(true)
    expect(Object.isFrozen(llm.calls)).toBe(true)
  })

  it('adds usage that was restored, and forgets it when it is cleared', () => {
    const models = { other: { cost: 1, promptTokens: 2, completionTokens: 3, totalTokens: 5 } }
    const model = scriptedModel(['one']).createModel()
    model.restoreUsage?.({ actual: null, total: { totalCost: 1, models } })
    expect([model.actualUsageSummary, model.totalUsageSummary?.totalCost]).toEqual([null, 1])
    model.createSync({ messages: [...ask.messages] })
    expect(Object.keys(model.totalUsageSummary!.models)).toEqual(['other', 'scripted'])
    expect(Object.keys(model.actualUsageSummary!.models)).toEqual(['scripted'])
    model.clearUsageSummary()
    expect([model.actualUsageSummary, model.totalUsageSummary]).toEqual([null, null])
  })

  it('takes a reply from the budget of the run it is asked in', async () => {
    const spent = { cost: 0, tokens: 0, calls: 0 }
    const budget: Budget = {
      spent,
      reserve(estimate) {
        if (spent.calls > 0) throw new XError('budget-exceeded', 'no more')
        spent.calls += estimate.calls
        return { settle: ({ tokens }) => void (spent.tokens += tokens), release: () => {} }
      },
    }
    const model = scriptedModel(['one', 'two']).createModel()
    const messages = [...ask.messages]
    await withRun({ budget }, async (run) => {
      const { usage } = await model.create({ messages }, { run })
      expect(spent).toEqual({ cost: 0, tokens: usage!.total_tokens, calls: 1 })
      expect(() => model.createSync({ messages }, { run })).toThrow('no more')
    })
  })

  it('streams events that add up to the complete answer', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } } as const
    const llm = scriptedModel([{ content: ' two  words ', tool_calls: [call] }])
    const { events, response } = await drained(llm)
    expect(events.filter(({ type }) => type === 'textDelta')).toHaveLength(2)
    expect(events.filter(({ type }) => type === 'toolCallDelta')).toHaveLength(2)
    const { id, model, choices, usage } = response
    expect(foldEvents(events)).toEqual({ id, model, created: 0, choices, usage })
    expect(choices[0]).toMatchObject({ message: { content: ' two  words ' }, finish_reason: 'tool_calls' })
  })

  it.each(['sync', 'async'] as const)('fails as it is told, in the %s face', async (face) => {
    const own = new Error('mine')
    const llm = scriptedModel([{ error: 'rate-limit' }, { error: 'timeout' }, { error: own }])
    const model = llm.createModel()
    const messages = [...ask.messages]
    const failure = async (): Promise<unknown> => {
      try {
        return face === 'sync' ? model.createSync({ messages }) : await model.create({ messages })
      } catch (error) {
        return error
      }
    }
    expect(await failure()).toMatchObject({ code: 'model-failed', kind: 'rate-limit' })
    expect(await failure()).toMatchObject({ code: 'timeout', kind: 'timeout' })
    expect(await failure()).toBe(own)
    llm.assertComplete()
  })

  it('waits for a promise that the test resolves, and refuses to in the blocking face', async () => {
    const gate = Promise.withResolvers<void>()
    const llm = scriptedModel([
      { delay: gate.promise, reply: 'late' },
      { delay: gate.promise, reply: 'late' },
    ])
    const model = llm.createModel()
    const answer = model.create({ messages: [...ask.messages] })
    expect(() => model.createSync({ messages: [...ask.messages] })).toThrow(
      expect.objectContaining({ code: 'async-in-sync' }),
    )
    gate.resolve()
    expect(textOf(await answer)).toBe('late')
  })

  it('can be stopped while it waits', async () => {
    const llm = scriptedModel([{ delay: new Promise(() => {}), reply: 'never' }])
    const controller = new AbortController()
    const answer = llm.createModel().create({ messages: [...ask.messages] }, { signal: controller.signal })
    controller.abort()
    await expect(answer).rejects.toMatchObject({ code: 'aborted' })
  })

  it('plays a stream as written, with pauses', async () => {
    const gate = Promise.withResolvers<void>()
    const llm = scriptedModel([
      {
        stream: [
          { type: 'textDelta', index: 0, text: 'a' },
          gate.promise,
          { type: 'textDelta', index: 0, text: 'b' },
          { type: 'finish', index: 0, reason: 'length' },
        ],
        usage: [1, 2],
        cost: 0.5,
      },
    ])
    const stream = llm.createModel().createStream({ messages: [...ask.messages] })
    expect((await stream.next()).value).toEqual({ type: 'start', id: 'scripted-1', model: 'scripted' })
    expect((await stream.next()).value).toMatchObject({ text: 'a' })
    const next = stream.next()
    gate.resolve()
    expect((await next).value).toMatchObject({ text: 'b' })
    expect((await stream.next()).value).toMatchObject({ type: 'finish' })
    expect((await stream.next()).value).toMatchObject({ type: 'usage', usage: { total_tokens: 3 } })
    expect((await stream.next()).value).toMatchObject({
      cost: 0.5,
      choices: [{ message: { content: 'ab' }, finish_reason: 'length' }],
    })
  })

  it('breaks a stream off', async () => {
    const text: ModelEvent = { type: 'textDelta', index: 0, text: 'a' }
    const cut = scriptedModel([{ stream: [text] }, { stream: [text], error: 'connection' }])
    await expect(drained(cut)).rejects.toMatchObject({ kind: 'truncated', details: { partial: 'a' } })
    await expect(drained(cut)).rejects.toMatchObject({ kind: 'connection' })
  })

  it('counts usage, also for the model that replaces it', async () => {
    const llm = scriptedModel([
      'a',
      { content: 'b', usage: [1, 1], cost: 2 },
      { content: 'c', usage: null, cost: null },
    ])
    const first = llm.createModel()
    expect(first.actualUsageSummary).toBeNull()
    await first.create({ messages: [...ask.messages] })
    const second = llm.with({ tools: [] }).createModel({ replaces: first })
    await second.create({ messages: [...ask.messages] })
    const { usage } = await second.create({ messages: [...ask.messages] })
    expect(usage).toBeUndefined()
    expect(second.totalUsageSummary).toEqual({
      totalCost: 2,
      models: { scripted: { cost: 2, promptTokens: 11, completionTokens: 6, totalTokens: 17 } },
      unpriced: ['scripted'],
    })
    second.clearUsageSummary()
    expect(second.actualUsageSummary).toBeNull()
  })

  it('is chosen by model and tags', () => {
    const llm = scriptedModel(['a'], { model: 'm', config: { tags: ['fast'] } })
    expect(llm.where({ model: ['m', 'n'], tags: 'fast' }).config.model).toBe('m')
    expect(() => llm.where({ tags: 'slow' })).toThrow(expect.objectContaining({ code: 'invalid-config' }))
    expect(() => llm.where({ model: 'n' })).toThrow('`m`')
  })

  it('reports unused replies and requests without a reply', async () => {
    const llm = scriptedModel(['a', 'b', { error: 'timeout' }, { content: null, tool_calls: [add] }])
    const model = llm.createModel()
    await model.create({ messages: [...ask.messages] })
    expect(() => llm.assertComplete()).toThrow(
      '3 of 4 replies of the scripted model were never asked for (#2 "b"; #3 the error `timeout`; #4 a call of `add`)',
    )
    const short = scriptedModel(['a'])
    const asked = short.createModel()
    await asked.create({ messages: [...ask.messages] })
    await expect(asked.create({ messages: [...ask.messages] })).rejects.toThrow(
      'asked 2 times, the last time with "hi"',
    )
    expect(() => short.assertComplete()).toThrow('its script has 1 reply')
  })

  it('repeats its last reply when told to', async () => {
    const llm = scriptedModel(['a', 'b'], { repeatLast: true })
    const model = llm.createModel()
    const texts = []
    for (let i = 0; i < 4; i++) texts.push(textOf(await model.create({ messages: [...ask.messages] })))
    expect(texts).toEqual(['a', 'b', 'b', 'b'])
    llm.assertComplete()
  })
})

const add = { function: { name: 'add', arguments: '{}' } }

describe('a function model', () => {
  it('answers with a function of the request', async () => {
    const llm = functionModel(({ messages, face }) => `${face}: ${messages.at(-1)?.content as string}`)
    const model = llm.createModel()
    expect(textOf(model.createSync({ messages: [...ask.messages] }))).toBe('sync: hi')
    expect(textOf(await model.create({ messages: [...ask.messages] }))).toBe('async: hi')
    expect(llm.calls).toHaveLength(2)
  })

  it('may take its time, except in the blocking face', async () => {
    const model = functionModel(async () => 'later').createModel()
    expect(textOf(await model.create({ messages: [...ask.messages] }))).toBe('later')
    expect(() => model.createSync({ messages: [...ask.messages] })).toThrow(/blocking call/)
  })

  it('may fail by throwing', async () => {
    const model = functionModel(() => {
      throw new XError('model-failed', 'no', { kind: 'server' })
    }).createModel()
    const failure: unknown = await model.create({ messages: [...ask.messages] }).catch((error: unknown) => error)
    expect(isXError(failure, 'model-failed')).toBe(true)
  })
})

it('shows its settings without secrets', () => {
  const config = {
    ...{ temperature: 0, apiKey: 'canary-key', defaultHeaders: { 'x-gateway': 'canary-header' } },
    baseUrl: 'https://ann:canary-word@models.example/v1?api_key=canary-query',
  }
  const settings = functionModel(() => 'yes', { config }).createModel().settingsOf!({ messages: [] })
  expect(settings).toMatchObject([{ temperature: 0, model: 'scripted' }])
  expect(JSON.stringify(settings)).toMatch(/^(?!.*canary)/u)
})

describe('a wrong argument is refused, with what to write:', () => {
  it.each<[string, () => unknown, string]>([
    ['a text as replies', () => scriptedModel('Hello.' as never), "as in `scriptedModel(['Hello.'])`"],
    ['an option of a script', () => scriptedModel(['a'], { repeatlast: true } as never), 'did you mean `repeatLast`?'],
    ['a text as a function', () => functionModel('Hello.' as never), "as in `functionModel(() => 'Hello.')`"],
    ['an option of a function', () => functionModel(() => 'a', { modle: 'm' } as never), 'did you mean `model`?'],
    ['an option of a simulation', () => simulatedModel({ about: 'x', call: [] } as never), 'did you mean `calls`?'],
    ['no options of a simulation', () => simulatedModel(undefined as never), 'its options are null'],
  ])('%s', (_, make, text) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }))
  })
})
