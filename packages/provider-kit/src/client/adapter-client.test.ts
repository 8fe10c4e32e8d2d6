import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAdapterClient } from './adapter-client.ts'
import type { AnswerReader, Dialect, Wire } from './dialect.ts'
import { createCatalogue } from '../catalogue/catalogue.ts'
import { modelFailure } from '../failure/model-failure.ts'
import { platformClock } from './retry.ts'

/** A client whose provider answers with one frame, read by a reader that fails. */
function clientOf(
  push: AnswerReader['push'],
  lower?: Dialect['lower'],
  complete: Wire['complete'] = async () => ({}),
  maxRetries: number = 0,
) {
  const dialect: Dialect = {
    provider: 'p',
    ids: { maxLength: 40, forbidden: /[^\w-]/gu },
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: () => ({}),
    lower: lower ?? ((_, { model }) => ({ model, body: {} })),
    reader: () => ({ push }),
  }
  const wire: Wire = {
    secrets: new Set(),
    url: 'http://p.invalid',
    complete,
    stream: async (request, call) =>
      (async function* () {
        yield [await complete(request, call)]
      })(),
  }
  const catalogue = createCatalogue({ date: '2026-01-01', models: { m: { price: { input: 1, output: 2 } } } })
  const config = { model: 'm', maxRetries }
  return createAdapterClient({
    config,
    catalogue,
    clock: platformClock(),
    now: Date.now,
    dialect,
    connect: () => wire,
  })
}

/** A client of a provider whose stream is given; its frames are texts, `finish` and `last`. */
function streaming(
  frames: (attempt: number) => AsyncIterable<readonly unknown[]>,
  config: { maxRetries?: number } = {},
) {
  let attempts = 0
  const push: AnswerReader['push'] = (frame, answer) => {
    if (frame === 'finish') answer.finish('stop')
    else if (frame !== 'last') answer.text(frame as string)
    return frame === 'last'
  }
  const dialect: Dialect = {
    provider: 'p',
    ids: { maxLength: 40, forbidden: /[^\w-]/gu },
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: () => ({}),
    lower: (_, { model }) => ({ model, body: {} }),
    reader: () => ({ push }),
  }
  const stream: Wire['stream'] = async () => frames(attempts++)
  const client = createAdapterClient({
    config: { model: 'm', maxRetries: 0, ...config },
    catalogue: createCatalogue({ date: '2026-01-01', models: {} }),
    clock: { sleep: async () => {}, random: () => 0 },
    now: Date.now,
    dialect,
    connect: () => ({ secrets: new Set(), url: 'http://p.invalid', complete: async () => ({}), stream }),
  })
  const read = async (params: { n?: number; signal?: AbortSignal } = {}): Promise<unknown> => {
    const { signal, ...more } = params
    const events = client.stream!({ model: 'm', messages: [], ...more }, { signal })
    for (;;) {
      const next = await events.next()
      if (next.done) return next.value.choices.map(({ message }) => message.content)
    }
  }
  return { read, attempts: () => attempts }
}

async function* broken(frames: readonly string[], error?: unknown): AsyncGenerator<readonly unknown[]> {
  for (const frame of frames) yield [frame]
  if (error !== undefined) throw error
}

const reset = new TypeError('terminated', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })

describe('a stream', () => {
  test('that has finished stands, whatever the connection does', async () => {
    const { read } = streaming(() => broken(['Hi', 'finish'], reset))
    expect(await read()).toEqual(['Hi'])
    const { read: silent } = streaming(() => broken(['finish'], reset))
    expect(await silent()).toEqual([''])
  })

  test('that has finished and stays open ends after a moment', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const open = async function* (): AsyncGenerator<readonly unknown[]> {
      yield ['Hi', 'finish']
      await new Promise(() => {})
    }
    const reading = streaming(open).read()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await reading).toEqual(['Hi'])
  })

  test('that has finished is stopped all the same', async () => {
    const stop = new AbortController()
    const open = async function* (): AsyncGenerator<readonly unknown[]> {
      yield ['Hi', 'finish']
      stop.abort()
      await new Promise(() => {})
    }
    await expect(streaming(open).read({ signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
  })

  test('has not finished before each of its choices has, or when it breaks in its middle', async () => {
    const { read } = streaming(() => broken(['Hi', 'finish'], reset))
    await expect(read({ n: 2 })).rejects.toMatchObject({ kind: 'connection' })
    await expect(streaming(() => broken(['Hi'], reset)).read()).rejects.toMatchObject({ kind: 'connection' })
  })

  test.each<[string, readonly string[]]>([
    ['nothing', []],
    ['a last frame only', ['last']],
  ])('that ends before any content (%s) is asked for again on the last config', async (_, frames) => {
    const { read, attempts } = streaming((at) => broken(at === 0 ? frames : ['Hi', 'finish']), { maxRetries: 1 })
    expect([await read(), attempts()]).toEqual([['Hi'], 2])
    const once = streaming(() => broken(frames))
    await expect(once.read()).rejects.toMatchObject({ kind: 'truncated' })
  })

  test('that ends after content is not asked for again', async () => {
    const { read, attempts } = streaming(() => broken(['Hi']), { maxRetries: 1 })
    await expect(read()).rejects.toMatchObject({ kind: 'truncated' })
    expect(attempts()).toBe(1)
  })
})

test('an answer that the reader cannot read is a failure of the provider', async () => {
  const client = clientOf((frame) => (frame as { choices: { length: number } }).choices.length > 0)
  const failure = { kind: 'server', message: 'the answer has an unexpected form' }
  const params = { model: 'm', messages: [] }
  await expect(client.create(params, {})).rejects.toMatchObject(failure)
  await expect(client.stream!(params, {}).next()).rejects.toMatchObject(failure)
})

test('a refusal that says how to ask instead leads to that request and its reader, complete and streamed', async () => {
  const answered =
    (text: string): AnswerReader['push'] =>
    (_, answer) => {
      answer.text(text)
      answer.finish('stop')
      return true
    }
  const asked: unknown[] = []
  const client = clientOf(
    answered('first'),
    (_, { model }) => ({
      model,
      body: { form: 1 },
      instead: ({ message }) =>
        message === 'ask with 2'
          ? { model, body: { form: 2 }, reader: () => ({ push: answered('second') }) }
          : undefined,
    }),
    async ({ body }) => {
      asked.push(body['form'])
      if (body['form'] === 1) throw modelFailure('invalid-request', 'ask with 2')
      return {}
    },
  )
  const params = { model: 'm', messages: [] }
  expect((await client.create(params, {})).choices[0]!.message.content).toBe('second')
  const events = client.stream!(params, {})
  await events.next()
  expect((await events.next()).value).toMatchObject({ text: 'second' })
  expect(asked).toEqual([1, 2, 1, 2])
})

test('any other refusal stands', async () => {
  const client = clientOf(
    () => true,
    (_, { model }) => ({ model, body: {}, instead: () => undefined }),
    async () => {
      throw modelFailure('invalid-request', 'no')
    },
  )
  await expect(client.create({ model: 'm', messages: [] }, {})).rejects.toMatchObject({ message: 'no' })
})

test.each([
  [Infinity, 4],
  [2, 2],
  [1, 1],
])('every request is told before it is sent, and at most %i are sent when no more are allowed', async (most, sent) => {
  const told: number[] = []
  let asked = 0
  const client = clientOf(
    () => true,
    undefined,
    async () => {
      asked++
      throw modelFailure('overloaded', `failure ${asked}`, { retryAfterMs: 0 })
    },
    3,
  )
  const onSend = (): boolean => {
    if (told.length === most) return false
    told.push(asked)
    return true
  }
  const params = { model: 'm', messages: [] }
  await expect(client.create(params, { onSend })).rejects.toMatchObject({ message: `failure ${sent}` })
  expect(told).toEqual(Array.from({ length: sent }, (_, index) => index))
  expect(asked).toBe(sent)
})

test('X21: a model without a price answers at no known cost, whatever the asked model costs', () => {
  const client = clientOf(() => true)
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 }
  const cost = (model: string): number | null => client.cost({ id: '', created: 0, choices: [], model, usage })
  expect([cost('m'), cost('m-2026-01-01'), cost('another')]).toEqual([1, 1, null])
})
