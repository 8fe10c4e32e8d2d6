import type { ModelAnswer, ModelClient } from '@x/interfaces'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAdapterClient } from './adapter-client.ts'
import type { AnswerReader, Dialect, Wire } from './dialect.ts'
import { createCatalogue } from '../catalogue/catalogue.ts'
import { modelFailure } from '../failure/model-failure.ts'
import { createTransport } from '../http/transport.ts'

/** A client whose provider answers with one frame, read by a reader that fails. */
function clientOf(
  push: AnswerReader['push'],
  lower?: Dialect['lower'],
  complete: Wire['complete'] = async () => ({}),
  { frames, load }: { frames?: () => AsyncIterable<readonly unknown[]>; load?: () => Promise<unknown> } = {},
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
      frames?.() ??
      (async function* () {
        yield [await complete(request, call)]
      })(),
  }
  const catalogue = createCatalogue({ date: '2026-01-01', models: { m: { price: { input: 1, output: 2 } } } })
  const config = { model: 'm' }
  return createAdapterClient({
    config,
    catalogue,
    now: Date.now,
    dialect,
    load,
    connect: () => wire,
  })
}

/** A client of a provider whose stream is given; its frames are texts, `finish` and `last`. */
function streaming(frames: () => AsyncIterable<readonly unknown[]>) {
  let requests = 0
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
  const stream: Wire['stream'] = async () => (requests++, frames())
  const client = createAdapterClient({
    config: { model: 'm' },
    catalogue: createCatalogue({ date: '2026-01-01', models: {} }),
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
  return { read, requests: () => requests }
}

async function* broken(frames: readonly string[], error?: unknown): AsyncGenerator<readonly unknown[]> {
  for (const frame of frames) yield [frame]
  if (error !== undefined) throw error
}

const reset = new TypeError('terminated', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })

/** A client whose stream has counts, finishes, and then ends or breaks off. */
function counting(isPartial: boolean, ends: boolean): ModelClient {
  const push: AnswerReader['push'] = (_, answer) => {
    answer.text('Hi')
    answer.usage({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }, isPartial)
    answer.finish('stop')
    return false
  }
  const broken = async function* (): AsyncGenerator<readonly unknown[]> {
    yield [{}]
    if (!ends) throw reset
  }
  return clientOf(push, undefined, undefined, { frames: broken })
}

test('what cannot be loaded fails the call, and is loaded again by the next one', async () => {
  let loads = 0
  const load = async (): Promise<void> => {
    if (loads++ === 0) throw new Error('there is no such package')
  }
  const push: AnswerReader['push'] = (_, answer) => (answer.text('Hi'), answer.finish('stop'), true)
  const client = clientOf(push, undefined, undefined, { load })
  const ask = async () => await client.create({ model: 'm', messages: [] }, {})
  await expect(ask()).rejects.toMatchObject({
    code: 'model-failed',
    message: expect.stringContaining('no such package') as string,
  })
  expect((await ask()).choices[0]!.message.content).toBe('Hi')
})

test('what the first request loads takes none of its time, and is loaded once', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const loaded = Promise.withResolvers<void>()
  let loads = 0
  const push: AnswerReader['push'] = (_, answer) => {
    answer.text('Hi')
    answer.finish('stop')
    return true
  }
  const load = async (): Promise<void> => (loads++, await loaded.promise)
  const client = clientOf(push, undefined, undefined, { load })
  const ask = async () => await client.create({ model: 'm', messages: [] }, { timeout: 1 })
  const answer = ask()
  await vi.advanceTimersByTimeAsync(5000)
  loaded.resolve()
  expect((await answer).choices[0]!.message.content).toBe('Hi')
  await ask()
  expect(loads).toBe(1)
})

describe('a stream', () => {
  test('that has finished stands, whatever the connection does', async () => {
    const { read } = streaming(() => broken(['Hi', 'finish'], reset))
    expect(await read()).toEqual(['Hi'])
    const { read: silent } = streaming(() => broken(['finish'], reset))
    expect(await silent()).toEqual([''])
  })

  test.each([
    [true, 'breaks off', undefined],
    [true, 'ends', 7],
    [false, 'breaks off', 7],
  ])('whose counts are partial (%s) and that %s behind its finish has the counts %j', async (isPartial, how, total) => {
    const read = async (): Promise<ModelAnswer> => {
      const events = counting(isPartial, how === 'ends').stream!({ model: 'm', messages: [] }, {})
      for (;;) {
        const next = await events.next()
        if (next.done) return next.value
      }
    }
    expect((await read()).usage?.total_tokens).toBe(total)
  })

  test('whose frames fail tells the events of the frames before', async () => {
    const push: AnswerReader['push'] = (frame, answer) => {
      if (frame === 'error') throw modelFailure('server', 'overloaded')
      answer.text(frame as string)
      return false
    }
    const told = async (groups: readonly (readonly string[])[]): Promise<string[]> => {
      const frames = async function* (): AsyncGenerator<readonly unknown[]> {
        yield* groups
      }
      const words: string[] = []
      const events = clientOf(push, undefined, undefined, { frames }).stream!({ model: 'm', messages: [] }, {})
      const reading = async (): Promise<void> => {
        for await (const event of events) {
          for (const each of [event, ...events.takeReady!()]) if (each.type === 'textDelta') words.push(each.text)
        }
      }
      await expect(reading()).rejects.toMatchObject({ kind: 'server' })
      return words
    }
    expect(await told([['a'], ['b', 'c', 'error', 'd']])).toEqual(['a', 'b', 'c'])
    expect(await told([['a', 'error']])).toEqual(['a'])
    expect(await told([['error', 'a']])).toEqual([])
  })

  test('gives each event once, one by one or all that are there', async () => {
    const { read } = streaming(() => broken(['a', 'b', 'finish']))
    expect(await read()).toEqual(['ab'])
    const frames = async function* (): AsyncGenerator<readonly unknown[]> {
      yield ['a', 'b', 'c']
    }
    const push: AnswerReader['push'] = (frame, answer) => {
      answer.text(frame as string)
      if (frame === 'c') answer.finish('stop')
      return false
    }
    const events = clientOf(push, undefined, undefined, { frames }).stream!({ model: 'm', messages: [] }, {})
    await events.next()
    const [first, rest] = [await events.next(), events.takeReady!()]
    expect(first.value).toMatchObject({ type: 'textDelta', text: 'a' })
    expect(rest).toMatchObject([{ text: 'b' }, { text: 'c' }])
    expect([events.takeReady!(), (await events.next()).value]).toMatchObject([[], { type: 'finish' }])
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
  ])('that ends before any content (%s) can be asked for again', async (_, frames) => {
    const { read, requests } = streaming(() => broken(frames))
    await expect(read()).rejects.toMatchObject({ kind: 'truncated', details: { shouldRetry: true } })
    expect(requests()).toBe(1)
  })

  test('that ends after content cannot', async () => {
    const { read, requests } = streaming(() => broken(['Hi']))
    await expect(read()).rejects.toMatchObject({ kind: 'truncated', details: { partial: 'Hi' } })
    expect(requests()).toBe(1)
  })
})

test('an answer that the reader cannot read is a failure of the provider', async () => {
  const client = clientOf((frame) => (frame as { choices: { length: number } }).choices.length > 0)
  const failure = { kind: 'server', message: 'the answer has an unexpected form' }
  const params = { model: 'm', messages: [] }
  await expect(client.create(params, {})).rejects.toMatchObject(failure)
  await expect(client.stream!(params, {}).next()).rejects.toMatchObject(failure)
})

test.each([true, false])('a refusal from which the wire format learns (%s) is to be asked again', async (learns) => {
  const refusals: string[] = []
  let requests = 0
  const client = clientOf(
    () => true,
    (_, { model }) => ({ model, body: {}, learn: ({ message }) => refusals.push(message) > 0 && learns }),
    async () => {
      requests++
      throw modelFailure('invalid-request', 'ask with 2', { status: 400, details: { code: 'x' } })
    },
  )
  const params = { model: 'm', messages: [] }
  const details = learns ? { code: 'x', askAgain: true } : { code: 'x' }
  const failure = { kind: 'invalid-request', message: 'ask with 2', status: 400 }
  for (const call of [client.create(params, {}), client.stream!(params, {}).next()]) {
    const error: unknown = await Promise.resolve(call).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject(failure)
    expect((error as { details: unknown }).details).toEqual(details)
  }
  expect([requests, refusals]).toEqual([2, ['ask with 2', 'ask with 2']])
})

test('a wire that tells nothing counts as having sent its request, and a client that cannot lower one as not', async () => {
  const reports: unknown[] = []
  const onSend = (hasLeft?: boolean): boolean => reports.push(hasLeft) > 0
  const params = { model: 'm', messages: [] }
  const silent = clientOf((_, answer) => (answer.finish('stop'), true))
  await silent.create(params, { onSend })
  expect(reports.splice(0)).toEqual([false, true])
  const broken = clientOf(
    () => true,
    () => {
      throw modelFailure('invalid-request', 'no')
    },
  )
  await expect(broken.create(params, { onSend })).rejects.toMatchObject({ message: 'no' })
  expect(reports).toEqual([false])
})

test('a wire that sends a second request for a call is told so, and not asked again', async () => {
  let requests = 0
  const send = createTransport(async () => (requests++, Response.json({})))
  const complete: Wire['complete'] = async (_, { signal }) => {
    await send('http://p.invalid', { method: 'POST', body: '{}', signal })
    return await send('http://p.invalid', { method: 'POST', body: '{}', signal })
  }
  const failed = clientOf(() => true, undefined, complete).create({ model: 'm', messages: [] }, {})
  await expect(failed).rejects.toMatchObject({
    ...{ kind: 'connection', message: expect.stringContaining('a second request for one call') },
    details: { shouldRetry: false },
  })
  expect(requests).toBe(1)
})

test('X11: a call that is late fails by the name of its limit, and an abort by the caller wins', async () => {
  const never = (): Promise<never> => new Promise(() => {})
  const client = clientOf(() => true, undefined, never)
  const params = { model: 'm', messages: [] }
  const late = { kind: 'timeout', details: { clock: 'call', received: false } }
  await expect(client.create(params, { timeout: 0.001 })).rejects.toMatchObject(late)
  const stop = new AbortController()
  const stopped = client.create(params, { timeout: 0.001, signal: stop.signal })
  stop.abort()
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
})

test('X21: a model without a price answers at no known cost, whatever the asked model costs', () => {
  const client = clientOf(() => true)
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 }
  const cost = (model: string): number | null => client.cost({ id: '', created: 0, choices: [], model, usage })
  expect([cost('m'), cost('m-2026-01-01'), cost('another')]).toEqual([1, 1, null])
})
