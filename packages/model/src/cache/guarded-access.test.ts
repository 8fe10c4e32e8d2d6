import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { answerOf, fakeProvider, hello, recordingIo } from '../fakes/provider.fake.ts'
import { ModelWrapper, type ModelWrapperOptions } from '../wrapper/model-wrapper.ts'
import { createMemoryCache } from './memory-cache.ts'
import { createTieredCache } from './tiered-cache.ts'

const stored = (text: string): StoredAnswer => ({ answer: answerOf('m', text), cost: 0.5 })
const never = (): Promise<never> => new Promise(() => {})
const dead = (): Promise<never> => Promise.reject(new Error('ECONNREFUSED'))

/** A store that counts how often it is asked. */
function counted(store: Partial<CacheStore>) {
  const asked = { get: 0, set: 0 }
  const cache: CacheStore = {
    name: 's',
    get: (key) => (asked.get++, store.get?.(key)),
    set: (key, value) => (asked.set++, store.set?.(key, value)),
  }
  return { cache, asked }
}

function wrapped(cache: CacheStore, options: ModelWrapperOptions = {}) {
  const fake = fakeProvider([async () => 'fresh'], { cost: 1 })
  const { io, events } = recordingIo()
  const configList = [{ model: 'm', apiType: 'fake' }]
  const model = new ModelWrapper({ providers: [fake.provider], configList, io, cache, cacheTimeout: 0.01, ...options })
  const ask = async (content: string = 'hello') => await model.create({ messages: [{ role: 'user', content }] })
  const warned = (): string[] => events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  return { ...fake, model, ask, warned }
}

describe('a lookup that does not answer', () => {
  test('is a miss after the limit, with one warning, and pauses lookups at once', async () => {
    const { cache, asked } = counted({ get: never })
    const { ask, warned, calls } = wrapped(cache)
    for (let i = 0; i < 3; i++) expect((await ask(`q${i}`)).choices[0]!.message.content).toBe('fresh')
    expect([calls.length, asked]).toEqual([3, { get: 1, set: 3 }])
    expect(warned()).toEqual(['answers are not looked up in the cache `s` for 30 s: it took longer than 0.01 s'])
  })

  test('costs one deadline, of any number of calls one after the other', async () => {
    vi.useFakeTimers({ now: 0 })
    onTestFinished(() => void vi.useRealTimers())
    const { cache, asked } = counted({ get: never, set: async () => {} })
    const { ask } = wrapped(cache, { cacheTimeout: 0.5 })
    const all = (async () => {
      for (let i = 0; i < 20; i++) await ask(`q${i}`)
      return Date.now()
    })()
    await vi.advanceTimersByTimeAsync(20_000)
    expect([(await all) < 600, asked.get]).toEqual([true, 1])
  })

  test('ends with the first deadline, of any number of calls at the same time', async () => {
    vi.useFakeTimers({ now: 0 })
    onTestFinished(() => void vi.useRealTimers())
    const { cache, asked } = counted({ get: never })
    const { ask } = wrapped(cache, { cacheTimeout: 0.5 })
    const ends: number[] = []
    for (let i = 0; i < 20; i++) {
      void ask(`q${i}`).then(() => ends.push(Date.now()))
      await vi.advanceTimersByTimeAsync(20)
    }
    await vi.advanceTimersByTimeAsync(200)
    expect([asked.get, ends.length, Math.max(...ends) < 550]).toEqual([20, 20, true])
  })

  test('is tried by one call after the pause, and no other call waits for it', async () => {
    let time = 0
    const trial = Promise.withResolvers<undefined>()
    const gets = [never(), trial.promise]
    const { cache, asked } = counted({ get: () => gets.shift() })
    const { ask, calls } = wrapped(cache, { cacheTimeout: 1000, runtime: { now: () => time } })
    const { ask: askHastily } = wrapped(cache, { runtime: { now: () => time } })
    await askHastily('first')
    time += 30_000
    const tried = ask('trial')
    for (let i = 0; i < 3; i++) await ask(`beside ${i}`)
    expect([asked.get, calls.length]).toEqual([2, 3])
    trial.resolve(undefined)
    await tried
    await ask('after')
    expect(asked.get).toBe(3)
  })

  test('leaves the writes of the store alone', async () => {
    const kept = new Map<string, StoredAnswer>()
    let hangs = true
    let time = 0
    const { cache } = counted({
      get: (key) => (hangs ? never() : kept.get(key)),
      set: (key, value) => void kept.set(key, value),
    })
    const { ask } = wrapped(cache, { runtime: { now: () => time } })
    for (let i = 0; i < 5; i++) await ask(`q${i}`)
    expect(kept.size).toBe(5)
    hangs = false
    time += 30_000
    expect((await ask('q4')).cached).toBe(true)
  })

  test('is a hit when the answer has arrived while the thread was busy', async () => {
    const get = (): Promise<StoredAnswer> => {
      // The thread is blocked once the deadline runs; then its timers come before what has arrived.
      queueMicrotask(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30))
      return new Promise((resolve) => setImmediate(resolve, stored('kept')))
    }
    const { ask, warned } = wrapped(counted({ get }).cache)
    expect([(await ask()).cached, warned()]).toEqual([true, []])
  })

  test('has half a second without a `cacheTimeout`', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { ask, calls } = wrapped(counted({ get: never }).cache, { cacheTimeout: undefined })
    const asked = ask()
    await vi.advanceTimersByTimeAsync(490)
    expect(calls).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(20)
    await asked
    expect(calls).toHaveLength(1)
  })

  test('is stopped by an abort at once', async () => {
    const stop = new AbortController()
    const { model } = wrapped(counted({ get: never }).cache, { cacheTimeout: 1000 })
    const asked = model.create({ messages: hello }, stop)
    stop.abort()
    await expect(asked).rejects.toMatchObject({ code: 'aborted' })
  })

  test('leaves a streamed call its answer', async () => {
    const { model } = wrapped(counted({ get: never, set: never }).cache)
    expect((await model.createStream({ messages: hello }).result).choices[0]!.message.content).toBe('fresh')
  })
})

describe('a write', () => {
  test('that does not end delays no answer, not even of a thousand calls', async () => {
    const { ask } = wrapped(counted({ set: never }).cache)
    const all = await Promise.all(Array.from({ length: 1000 }, (_, index) => ask(`q${index}`)))
    expect(all).toHaveLength(1000)
  })

  test('is shared while it is under way: an equal call is not sent again', async () => {
    const written = Promise.withResolvers<void>()
    const { ask, calls } = wrapped(counted({ set: () => written.promise }).cache)
    expect((await ask()).cached).toBe(false)
    expect((await ask()).cached).toBe(true)
    written.resolve()
    await new Promise(setImmediate)
    expect((await ask()).cached).toBe(false)
    expect(calls).toHaveLength(2)
  })

  test('that fails after the call is a warning of the `io`, without keys', async () => {
    const set = async (): Promise<never> => {
      throw new Error('redis://ann:sk-canary-0123456789@host refused')
    }
    const { ask, warned } = wrapped(counted({ set }).cache, {
      configList: [{ model: 'm', apiType: 'fake', apiKey: 'sk-canary-0123456789' }],
    })
    await ask()
    await new Promise(setImmediate)
    expect(warned()).toEqual([expect.stringMatching(/could not be kept in the cache `s`.*\[redacted\]/u)])
  })
})

describe('a store that fails repeatedly', () => {
  test('is not used for a while, then tried once, and used again when it works', async () => {
    let time = 0
    let works = false
    const { cache, asked } = counted({
      get: () => (works ? undefined : dead()),
      set: () => (works ? undefined : dead()),
    })
    const { ask, warned } = wrapped(cache, { runtime: { now: () => time } })
    const next = async (): Promise<void> => {
      await ask(`q${asked.get}.${time}`)
      await new Promise(setImmediate)
    }
    for (let i = 0; i < 9; i++) await next()
    expect(asked).toEqual({ get: 3, set: 3 })
    expect(warned().at(-1)).toBe(
      'answers are not looked up in the cache `s` for 30 s: it failed 3 times in a row, at last with: ECONNREFUSED',
    )
    time += 31_000
    for (let i = 0; i < 9; i++) await next()
    expect(asked).toEqual({ get: 4, set: 4 })
    works = true
    time += 31_000
    for (let i = 0; i < 3; i++) await next()
    expect(asked).toEqual({ get: 7, set: 7 })
  })

  test('is a warning of every wrapper that uses it', async () => {
    const { cache } = counted({ get: dead, set: dead })
    const one = wrapped(cache)
    for (let i = 0; i < 3; i++) await one.ask()
    const other = wrapped(cache)
    await other.ask()
    expect(other.warned()).toEqual([expect.stringMatching(/^answers are not looked up/u)])
  })

  test('in its lookups is paused though its writes work', async () => {
    const { cache, asked } = counted({ get: dead })
    const { ask } = wrapped(cache)
    for (let i = 0; i < 5; i++) await ask(`q${i}`)
    expect(asked).toEqual({ get: 3, set: 5 })
  })

  test('in its writes is paused though its lookups work', async () => {
    const { cache, asked } = counted({ get: () => undefined, set: dead })
    const { ask, warned } = wrapped(cache)
    for (let i = 0; i < 5; i++) {
      await ask(`q${i}`)
      await new Promise(setImmediate)
    }
    expect(asked).toEqual({ get: 5, set: 3 })
    expect(warned()).toContain(
      'answers are not kept in the cache `s` for 30 s: it failed 3 times in a row, at last with: ECONNREFUSED',
    )
  })

  test('does not affect the other tier', async () => {
    const { cache, asked } = counted({ get: dead, set: dead })
    const { ask } = wrapped(createTieredCache(createMemoryCache(), cache))
    for (let i = 0; i < 5; i++) await ask(`q${i}`)
    expect((await ask('q4')).cached).toBe(true)
    expect(asked).toEqual({ get: 3, set: 3 })
  })
})

const SHAPES: Record<string, unknown> = {
  null: null,
  'a text': 'x',
  'a number': 5,
  'a list': [],
  'an empty object': {},
  'no answer': { cost: 1 },
  'an answer of null': { answer: null, cost: 1 },
  'no choices': { answer: { model: 'm' }, cost: 1 },
  'choices without a message': { answer: { model: 'm', choices: [{}] }, cost: 1 },
  'a message of null': { answer: { model: 'm', choices: [{ index: 0, message: null }] }, cost: 1 },
  'a number as content': { answer: { model: 'm', choices: [{ index: 0, message: { content: 5 } }] }, cost: 1 },
  'calls without a function': {
    answer: { model: 'm', choices: [{ index: 0, message: { content: null, tool_calls: [{}] } }] },
    cost: 1,
  },
  'a usage of texts': { answer: { ...answerOf('m', 'x'), usage: { prompt_tokens: '5' } }, cost: 1 },
  'a cost that is a text': { answer: answerOf('m', 'x'), cost: '1' },
  'an answer that cannot be read': {
    get answer() {
      throw new Error('no')
    },
    cost: 1,
  },
}

test.each(Object.entries(SHAPES))('%s under a key is a miss, and said', async (_, value) => {
  for (const get of [() => value, async () => value]) {
    const { ask, warned } = wrapped(counted({ get: get as never }).cache)
    const response = await ask()
    expect([response.choices[0]!.message.content, response.cached]).toEqual(['fresh', false])
    expect(warned()).toEqual([
      'the cache `s` holds something other than an answer under a key; the model is asked again',
    ])
  }
})

test('an answer of another program, without a cost, is a hit', async () => {
  const { cost: _, ...costless } = stored('kept')
  const { ask } = wrapped(counted({ get: () => costless as StoredAnswer }).cache)
  expect(await ask()).toMatchObject({ cached: true, cost: 1 })
})
