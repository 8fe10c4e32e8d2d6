import type { CacheStore, ModelParams, StoredAnswer } from '@x/interfaces'
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keyv } from 'keyv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDiskCache } from '../cache/disk-cache.ts'
import { createKeyvCache } from '../cache/keyv-cache.ts'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { ModelWrapper, type ModelWrapperOptions } from './model-wrapper.ts'
import { answerOf, failureOf, fakeProvider, hello, recordingIo, type FakeReply } from '../fakes/provider.fake.ts'
import { createTieredCache } from '../cache/tiered-cache.ts'

const stored = (text: string): StoredAnswer => ({ answer: answerOf('m', text), cost: 0.5 })

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'x-cache-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function disk(options: Partial<Parameters<typeof createDiskCache>[0]> = {}): CacheStore {
  const cache = createDiskCache({ dir: folder(), ...options })
  onTestFinished(() => cache.close?.())
  return cache
}

const keyv = (): CacheStore => createKeyvCache(new Keyv(), { namespace: 'n' })

const STORES: Readonly<Record<string, () => CacheStore>> = {
  memory: () => createMemoryCache(),
  disk: () => disk(),
  keyv,
  tiered: () => createTieredCache(createMemoryCache(), disk()),
  'tiered over keyv': () => createTieredCache(createMemoryCache(), keyv()),
}

describe.each(Object.entries(STORES))('%s', (_, make) => {
  test('keeps answers as data, by key, the latest for each', async () => {
    const store = make()
    expect(await store.get('a')).toBeUndefined()
    const given = stored('one')
    await store.set('a', given)
    given.answer.choices[0]!.message.content = 'changed later'
    expect(await store.get('a')).toEqual(stored('one'))
    ;(await store.get('a'))!.answer.choices.length = 0
    expect(await store.get('a')).toEqual(stored('one'))
    await store.set('a', stored('two'))
    expect([await store.get('a'), await store.get('b')]).toEqual([stored('two'), undefined])
  })
})

describe.each<[string, (options: object) => CacheStore]>([
  ['memory', createMemoryCache],
  ['disk', disk],
])('bounds in %s', (_, make) => {
  test('answers expire', async () => {
    let at = 1000
    const store = make({ ttl: 10, now: () => at })
    await store.set('a', stored('x'))
    at += 9_999
    expect(await store.get('a')).toBeDefined()
    at += 2
    expect(await store.get('a')).toBeUndefined()
  })

  test('the oldest answers are evicted first, and an oversized answer is not kept', async () => {
    let at = 0
    const store = make({ maxEntries: 3, now: () => ++at })
    for (const key of ['a', 'b', 'c', 'd']) await store.set(key, stored(key))
    expect(await store.get('a')).toBeUndefined()
    expect(await store.get('d')).toBeDefined()
    const small = make({ maxEntryBytes: 300 })
    await small.set('a', stored('x'.repeat(400)))
    expect(await small.get('a')).toBeUndefined()
  })

  test('all answers together stay below the bound', async () => {
    const store = make({ maxBytes: 20_000 })
    for (let i = 0; i < 300; i++) await store.set(`k${i}`, stored('x'.repeat(500)))
    const answers = (await Promise.all(Array.from({ length: 300 }, async (_, i) => await store.get(`k${i}`)))).filter(
      Boolean,
    )
    expect(answers.length).toBeLessThan(100)
    expect(await store.get('k299')).toBeDefined()
  })
})

test('namespaces of one folder do not mix', async () => {
  const dir = folder()
  const [a, b] = [disk({ dir, namespace: 'a' }), disk({ dir, namespace: 'b' })]
  await a.set('k', stored('of a'))
  expect([await a.get('k'), await b.get('k')]).toEqual([stored('of a'), undefined])
})

function wrapped(replies: FakeReply[], options: ModelWrapperOptions) {
  const fake = fakeProvider(replies, { cost: 1 })
  const recording = recordingIo()
  const configList = [{ model: 'm', apiType: 'fake' }]
  return {
    ...fake,
    ...recording,
    model: new ModelWrapper({ providers: [fake.provider], configList, io: recording.io, ...options }),
  }
}

const ask = (model: ModelWrapper, request: object = {}) => model.create({ messages: hello, ...request })
const text = (response: { choices: { message: { content?: unknown } }[] }): unknown =>
  response.choices[0]!.message.content

describe('in a wrapper', () => {
  test('the timeout, the form of the call and the receiver of warnings do not change the key', async () => {
    const { model, calls } = wrapped(['a', 'b'], { cache: createMemoryCache() })
    const seen = []
    for (const extra of [{}, { timeout: 3 }, { stream: true }, { agent: 'ann' }, { price: 1 }])
      seen.push(text(await ask(model, extra)))
    expect(seen).toEqual(['a', 'a', 'a', 'a', 'a'])
    expect(calls).toEqual([{ model: 'm', messages: hello }])
  })

  test('a seed has its cache; null for both means none, and nothing is made', async () => {
    const made: number[] = []
    const { model, calls } = wrapped(['a', 'b', 'c', 'd'], {
      defaultCache: (seed) => (made.push(seed), createMemoryCache()),
    })
    await ask(model, { cacheSeed: null })
    expect(made).toEqual([])
    for (const cacheSeed of [undefined, 41, 7, 41]) await ask(model, { cacheSeed })
    expect(made).toEqual([41, 7])
    expect(calls).toHaveLength(3)
  })

  test('bypass asks and keeps nothing, refresh asks and keeps', async () => {
    const { model } = wrapped(['a', 'b', 'c'], { cache: createMemoryCache() })
    const modes = [undefined, 'bypass', undefined, 'refresh', undefined] as const
    const texts = []
    for (const cacheMode of modes) texts.push(text(await ask(model, { cacheMode })))
    expect(texts).toEqual(['a', 'b', 'a', 'c', 'c'])
  })

  test('another sample is another question, and is never sent', async () => {
    const { model, calls } = wrapped(['a', 'b'], { cache: createMemoryCache() })
    expect([
      text(await ask(model, { sample: 1 })),
      text(await ask(model, { sample: 2 })),
      text(await ask(model, { sample: 1 })),
    ]).toEqual(['a', 'b', 'a'])
    expect(calls[0]).not.toHaveProperty('sample')
  })

  test.each(['get', 'set'])('a store whose `%s` fails is a warning and no failure', async (broken) => {
    const fail = (): never => {
      throw new Error('disk full')
    }
    const store: CacheStore = { name: 'broken', get: () => undefined, set: () => undefined, [broken]: fail }
    const { model, warnings, events } = wrapped(['a'], { cache: store })
    for (let i = 0; i < 2; i++) expect(text(await ask(model))).toBe('a')
    expect(warnings()).toEqual(['cache'])
    expect(JSON.stringify(events)).toContain('disk full')
    expect(model.createSync({ messages: hello })).toMatchObject({ configId: 0 })
  })

  test('a damaged answer of a store is a miss', async () => {
    const store: CacheStore = { name: 'garbled', get: () => ({ nonsense: 1 }) as never, set: () => undefined }
    expect(text(await ask(wrapped(['a'], { cache: store }).model))).toBe('a')
  })

  test('an answer that was kept without its cost gets it', async () => {
    const store = createMemoryCache()
    const unpriced = fakeProvider(['a'], { cost: null })
    const first = new ModelWrapper({
      providers: [unpriced.provider],
      configList: [{ model: 'm', apiType: 'fake' }],
      cache: store,
      io: recordingIo().io,
    })
    await ask(first)
    const { model } = wrapped(['b'], { cache: store })
    expect(await ask(model)).toMatchObject({ cached: true, cost: 1 })
  })

  test('an answer that a store of one’s own kept with no cost at all has one', async () => {
    const { cost: _, ...costless } = stored('x')
    const cache: CacheStore = { name: 's', get: () => costless as StoredAnswer, set: () => {} }
    for (const price of [undefined, [1, 1] as const]) {
      const { model } = wrapped(['a'], { cache, ...(price && { price }) })
      expect((await ask(model)).cost).toBe(price ? 0.015 : 1)
      expect(model.totalUsageSummary!.totalCost).toBe(price ? 0.015 : 1)
    }
  })

  test('an async store is refused in the blocking face, by name', () => {
    const { model } = wrapped(['a'], { cache: keyv() })
    expect(() => model.createSync({ messages: hello })).toThrow(/`n\.get` gave a promise/u)
  })
})

describe('equal requests at once', () => {
  const later =
    (reply: FakeReply, gate: Promise<unknown>): FakeReply =>
    () =>
      gate.then(() => reply) as Promise<FakeReply>

  test('a hundred are sent once; one pays', async () => {
    const gate = Promise.withResolvers<void>()
    const { model, calls } = wrapped([later('a', gate.promise)], { cache: createMemoryCache() })
    const all = Array.from({ length: 100 }, () => ask(model))
    gate.resolve()
    const responses = await Promise.all(all)
    expect(calls).toHaveLength(1)
    expect(responses.filter(({ cached }) => !cached)).toHaveLength(1)
    expect([model.actualUsageSummary!.totalCost, model.totalUsageSummary!.totalCost]).toEqual([1, 100])
  })

  test('the store is what they share: two wrappers that have it send one request, and nothing is put on it', async () => {
    const gate = Promise.withResolvers<void>()
    const cache = Object.freeze(createMemoryCache())
    const { model, calls } = wrapped([later('a', gate.promise)], { cache })
    const other = wrapped([later('b', gate.promise)], { cache })
    const both = Promise.all([ask(model), ask(other.model)])
    gate.resolve()
    expect((await both).map(text)).toEqual(['a', 'a'])
    expect([calls.length, other.calls.length]).toEqual([1, 0])
    expect(Reflect.ownKeys(cache)).toEqual(Reflect.ownKeys(createMemoryCache()))
  })

  test('each caller gets its own copy of the answer', async () => {
    const { model } = wrapped([async () => 'a'], { cache: createMemoryCache() })
    const [one, two] = await Promise.all([ask(model), ask(model)])
    one.choices[0]!.message.content = 'changed'
    expect([text(two), text(await ask(model))]).toEqual(['a', 'a'])
  })

  test('aborting one call, even the first, does not stop the others', async () => {
    const gate = Promise.withResolvers<void>()
    const { model, calls } = wrapped([later('a', gate.promise)], { cache: createMemoryCache() })
    const stop = new AbortController()
    const first = model.create({ messages: hello }, stop)
    const others = Array.from({ length: 99 }, () => ask(model))
    stop.abort()
    await expect(first).rejects.toMatchObject({ code: 'aborted' })
    gate.resolve()
    const responses = await Promise.all(others)
    expect(responses.map(text)).toEqual(Array.from({ length: 99 }, () => 'a'))
    expect(calls).toHaveLength(1)
    expect(model.actualUsageSummary!.totalCost).toBe(1)
  })

  test('when no caller waits any more, the call is stopped', async () => {
    let signal: AbortSignal | undefined
    const { model } = wrapped([(_, options) => ((signal = options.signal), new Promise<never>(() => {}))], {
      cache: createMemoryCache(),
    })
    const stop = new AbortController()
    const calls = [model.create({ messages: hello }, stop), model.create({ messages: hello }, stop)]
    stop.abort()
    await Promise.allSettled(calls)
    expect(signal!.aborted).toBe(true)
  })

  test('a failure is shared and not kept', async () => {
    const { model, calls } = wrapped([async () => failureOf('server'), 'b'], { cache: createMemoryCache() })
    const results = await Promise.allSettled([ask(model), ask(model)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(text(await ask(model))).toBe('b')
    expect(calls).toHaveLength(2)
  })

  test('wrappers that share a store share its calls', async () => {
    const gate = Promise.withResolvers<void>()
    const cache = createMemoryCache()
    const [a, b] = [wrapped([later('a', gate.promise)], { cache }), wrapped(['b'], { cache })]
    const both = Promise.all([ask(a.model), ask(b.model)])
    gate.resolve()
    expect((await both).map(text)).toEqual(['a', 'a'])
    expect(b.calls).toHaveLength(0)
  })
})

describe('a store that takes its time', () => {
  /** A store whose lookups end when they are told to. */
  function slow() {
    const entries = new Map<string, StoredAnswer>()
    const lookups: (() => void)[] = []
    const cache: CacheStore = {
      name: 'slow',
      async get(key) {
        const seen = entries.get(key)
        await new Promise<void>((resolve) => lookups.push(resolve))
        return seen
      },
      set: async (key, value) => void entries.set(key, value),
    }
    return { cache, lookups, entries }
  }

  test('equal requests whose lookups are far apart are sent once', async () => {
    const { cache, lookups } = slow()
    const { model, calls } = wrapped([async () => 'x'], { cache })
    const first = ask(model)
    const second = ask(model)
    for (const end of lookups.toReversed()) {
      end()
      await new Promise(setImmediate)
    }
    expect([(await first).cached, (await second).cached, calls.length]).toEqual([false, true, 1])
  })

  test('equal requests share a hit, and all of them count as cached', async () => {
    const { cache, lookups, entries } = slow()
    const { model, calls } = wrapped(['x'], { cache })
    const asked = ask(model)
    lookups.pop()!()
    await asked
    const both = [ask(model), ask(model)]
    expect(lookups).toHaveLength(1)
    lookups.pop()!()
    const [a, b] = await Promise.all(both)
    expect([a!.cached, b!.cached, calls.length, entries.size]).toEqual([true, true, 1, 1])
    a!.choices.length = 0
    expect(text(b!)).toBe('x')
  })
})

describe('a disk cache that cannot be used', () => {
  const asked = async (dir: string) => {
    const { model, warnings } = wrapped(['a'], { cache: disk({ dir }) })
    for (let i = 0; i < 3; i++) expect(text(await ask(model))).toBe('a')
    return warnings()
  }

  test('a file where the folder should be', async () => {
    const dir = join(folder(), 'file')
    writeFileSync(dir, 'x')
    expect(new Set(await asked(dir))).toEqual(new Set(['cache']))
  })

  // Root may write where the mode of a folder forbids it, but nobody may in this file system.
  test.runIf(existsSync('/sys/kernel'))('a folder where nothing can be made', async () => {
    expect(new Set(await asked('/sys/kernel/x-cache'))).toEqual(new Set(['cache']))
  })

  test.skipIf(process.getuid?.() === 0)('a folder that may only be read, empty or with a database', async () => {
    const dir = folder()
    for (const fill of [() => {}, () => void createDiskCache({ dir }).get('k')]) {
      chmodSync(dir, 0o755)
      fill()
      for (const file of readdirSync(dir)) chmodSync(join(dir, file), 0o444)
      chmodSync(dir, 0o555)
      expect(new Set(await asked(dir))).toEqual(new Set(['cache']))
    }
    chmodSync(dir, 0o755)
  })

  test('a database of garbage', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'answers.db'), 'garbage '.repeat(2000))
    expect(new Set(await asked(dir))).toEqual(new Set(['cache']))
  })

  test('a database that was cut', async () => {
    const dir = folder()
    const whole = createDiskCache({ dir })
    for (let i = 0; i < 50; i++) await whole.set(`k${i}`, stored('x'.repeat(2000)))
    await whole.close?.()
    const file = join(dir, 'answers.db')
    writeFileSync(file, readFileSync(file).subarray(0, 10_000))
    for (const warning of await asked(dir)) expect(warning).toBe('cache')
  })
})

test('a disk cache makes nothing before it is asked', async () => {
  const dir = folder()
  const cache = createDiskCache({ dir: join(dir, 'deep', 'er') })
  expect(readdirSync(dir)).toEqual([])
  await cache.get('k')
  expect(readdirSync(join(dir, 'deep', 'er'))).toContain('answers.db')
  await cache.close?.()
})

test('parameters of the request stay out of the store', async () => {
  const values: unknown[] = []
  const store: CacheStore = { name: 's', get: () => undefined, set: (...entry) => void values.push(entry) }
  const { model } = wrapped(['a'], {
    cache: store,
    configList: [{ model: 'm', apiType: 'fake', apiKey: 'sk-canary-0123456789' }],
  })
  await ask(model, { messages: [{ role: 'user', content: 'private words' }] } satisfies Partial<ModelParams>)
  expect(JSON.stringify(values)).not.toMatch(/canary|private/u)
})
