import type { CacheStore, ModelEvent } from '@x/interfaces'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { createTieredCache } from '../cache/tiered-cache.ts'
import { failureOf, fakeProvider, hello, recordingIo, type FakeReply } from '../fakes/provider.fake.ts'
import { SharedPlace } from '../fakes/shared-place.fake.ts'
import { ModelWrapper, type ModelWrapperOptions } from '../wrapper/model-wrapper.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A process with a model of its own that takes so many milliseconds. */
function started(cache: CacheStore, reply: FakeReply, ms: number = 1000, options: ModelWrapperOptions = {}) {
  const later: FakeReply = () => new Promise<FakeReply>((resolve) => setTimeout(resolve, ms, reply))
  const fake = fakeProvider([later], { cost: 1 })
  const { io, events } = recordingIo()
  const configList = [{ model: 'm', apiType: 'fake' }]
  const model = new ModelWrapper({ providers: [fake.provider], configList, io, cache, ...options })
  const warned = (): string[] => events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  return { ...fake, model, warned }
}

/** Lets time pass until a promise has settled. */
async function soon<T>(promise: Promise<T>, seconds: number = 200): Promise<PromiseSettledResult<T>> {
  const settled: PromiseSettledResult<T>[] = []
  void Promise.allSettled([promise]).then(([each]) => settled.push(each))
  for (let waited = 0; settled.length === 0 && waited < seconds * 10; waited++) await vi.advanceTimersByTimeAsync(100)
  return settled[0]!
}
const value = <T>(settled: PromiseSettledResult<T>): T => (settled as PromiseFulfilledResult<T>).value
const text = (response: { choices: { message: { content?: unknown } }[] }): unknown =>
  response.choices[0]!.message.content

describe('equal calls of two processes', () => {
  it.each([
    ['a shared store', (store: CacheStore) => store],
    ['memory over a shared store', (store: CacheStore) => createTieredCache(createMemoryCache(), store)],
  ])('ask once with %s: the other is a hit', async (_, cacheOf) => {
    const place = new SharedPlace()
    const [a, b] = [started(cacheOf(place.client('a')), 'one'), started(cacheOf(place.client('b')), 'two')]
    const all = [a.model, a.model, b.model, b.model].map((model) => model.create({ messages: hello }))
    const responses = value(await soon(Promise.all(all)))
    expect(responses.map(text)).toEqual(['one', 'one', 'one', 'one'])
    expect(responses.map(({ cached }) => cached)).toEqual([false, true, true, true])
    expect([a.calls.length, b.calls.length, place.claims.size]).toEqual([1, 0, 0])
    expect([a.model.actualUsageSummary!.totalCost, b.model.actualUsageSummary]).toEqual([1, null])
    expect(b.model.totalUsageSummary!.totalCost).toBe(2)
  })

  it('ask once when they are streamed, too: the other is one piece of text', async () => {
    const place = new SharedPlace()
    const [a, b] = [started(place.client('a'), 'one'), started(place.client('b'), 'two')]
    // A stream begins when somebody waits for it.
    const first = (async () => await a.model.createStream({ messages: hello }).result)()
    await vi.advanceTimersByTimeAsync(100)
    const second = b.model.createStream({ messages: hello })
    const events: ModelEvent[] = []
    const read = async (): Promise<void> => {
      for await (const event of second) events.push(event)
    }
    await soon(Promise.all([first, read()]))
    const [one, two] = await Promise.all([first, second.result])
    expect([text(one), one.cached, text(two), two.cached]).toEqual(['one', false, 'one', true])
    expect(events.filter(({ type }) => type === 'textDelta')).toHaveLength(1)
    expect(b.calls).toHaveLength(0)
  })

  it('wait for an answer that takes longer than a claim lasts', async () => {
    const place = new SharedPlace()
    const [a, b] = [started(place.client('a'), 'one', 45_000), started(place.client('b'), 'two')]
    const both = Promise.all([a, b].map(({ model }) => model.create({ messages: hello })))
    expect(value(await soon(both)).map(text)).toEqual(['one', 'one'])
    // The other may claim once the answer is there, and then finds it.
    expect([a.calls.length, b.calls.length]).toEqual([1, 0])
  })
})

describe('a call that waits', () => {
  const asked = (reply: FakeReply, options: ModelWrapperOptions = {}, isDead = () => false) => {
    const place = new SharedPlace()
    const a = started(place.client('a', isDead), reply, 1000, options)
    const b = started(place.client('b'), 'two', 1000, options)
    const stop = new AbortController()
    const first = a.model.create({ messages: hello }, stop)
    first.catch(() => {})
    return { place, a, b, stop, first, second: b.model.create({ messages: hello }, {}) }
  }

  it('asks the model itself when the call that it waits for fails', async () => {
    const { second, first } = asked(failureOf('server'))
    expect(value(await soon(second))).toMatchObject({ cached: false, choices: [{ message: { content: 'two' } }] })
    await expect(first).rejects.toMatchObject({ code: 'model-failed' })
  })

  it('asks the model itself at once when that call is aborted', async () => {
    const { second, first, stop } = asked('one')
    await vi.advanceTimersByTimeAsync(300)
    stop.abort()
    expect(text(value(await soon(second, 2)))).toBe('two')
    await expect(first).rejects.toMatchObject({ code: 'aborted' })
  })

  it('asks the model itself when the process that it waits for has died', async () => {
    const { second } = asked(
      () => new Promise(() => {}),
      {},
      () => true,
    )
    expect(text(value(await soon(second, 12)))).toBe('two')
  })

  it('asks the model itself after `cacheWait`, with one warning', async () => {
    const { second, b } = asked(() => new Promise(() => {}), { cacheWait: 5 })
    expect(text(value(await soon(second, 7)))).toBe('two')
    expect(b.warned()).toEqual([
      'an answer could not be waited for in the cache `shared by b`, and the call went on without it: it did not come within 5 s',
    ])
  })

  it('waits no longer than its own `timeout`', async () => {
    const { second } = asked(() => new Promise(() => {}), { timeout: 2 })
    expect(text(value(await soon(second, 4)))).toBe('two')
  })

  it('is stopped by an abort, and leaves nothing behind', async () => {
    const place = new SharedPlace()
    await place.client('other').claim!('unrelated', 1)
    const a = started(place.client('a'), () => new Promise(() => {}))
    void a.model.create({ messages: hello }).catch(() => {})
    const b = started(place.client('b'), 'two')
    const stop = new AbortController()
    const second = b.model.create({ messages: hello }, stop)
    second.catch(() => {})
    await vi.advanceTimersByTimeAsync(1000)
    stop.abort()
    await expect(second).rejects.toMatchObject({ code: 'aborted' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect([b.calls.length, place.given]).toEqual([0, ['other', 'a']])
  })
})

it('a claim that comes after its call was aborted is released', async () => {
  const place = new SharedPlace()
  const store = place.client('a')
  const slow: CacheStore = {
    ...store,
    claim: (key, lease) =>
      new Promise((resolve) => setTimeout(() => void Promise.resolve(store.claim!(key, lease)).then(resolve), 200)),
  }
  const { model } = started(slow, 'one')
  const stop = new AbortController()
  const asked = model.create({ messages: hello }, stop)
  asked.catch(() => {})
  await vi.advanceTimersByTimeAsync(100)
  stop.abort()
  await vi.advanceTimersByTimeAsync(500)
  expect([place.given, place.claims.size]).toEqual([['a'], 0])
})

it('a call without a lookup or without waiting makes no claim', async () => {
  const place = new SharedPlace()
  const store = place.client('a')
  const blocking: CacheStore = { ...store, get: () => undefined, set: () => {} }
  const { model } = started(store, 'one')
  const ways: (() => unknown)[] = [
    () => model.create({ messages: hello, cacheMode: 'bypass' }),
    () => model.create({ messages: hello, cacheMode: 'refresh' }),
    () => model.create({ messages: hello, cacheWait: 0 }),
    () =>
      new ModelWrapper({
        providers: [fakeProvider(['now']).provider],
        configList: [{ model: 'm', apiType: 'fake' }],
        cache: blocking,
        io: recordingIo().io,
      }).createSync({ messages: hello }),
  ]
  for (const way of ways) {
    await soon((async () => await way())())
    place.answers.clear()
  }
  expect(place.given).toEqual([])
})

it('a store whose lookup has failed is not asked for a claim', async () => {
  let claims = 0
  const dead = async (): Promise<never> => {
    throw new Error('ECONNREFUSED')
  }
  const { model } = started({ name: 's', get: dead, set: dead, claim: () => (claims++, null) }, 'one')
  expect(text(value(await soon(model.create({ messages: hello }))))).toBe('one')
  expect(claims).toBe(0)
})

it('claims that hang cost one deadline, and leave lookups and writes alone', async () => {
  const asked = { get: 0, set: 0, claim: 0 }
  const store: CacheStore = {
    name: 's',
    get: async () => void asked.get++,
    set: async () => void asked.set++,
    claim: () => (asked.claim++, new Promise(() => {})),
  }
  const { model, calls, warned } = started(store, 'one', 0)
  const begun = Date.now()
  const ask = (content: string) => model.create({ messages: [{ role: 'user', content }] })
  await soon(Promise.all([ask('a'), ask('b'), ask('c')]))
  for (const content of ['d', 'e', 'f']) await soon(ask(content))
  expect([asked, calls.length]).toEqual([{ get: 6, set: 6, claim: 3 }, 6])
  expect(Date.now() - begun).toBeLessThan(1100)
  expect(warned()).toEqual([
    'calls do not wait for equal calls of other processes in the cache `s` for 30 s: it took longer than 0.5 s',
  ])
})

it('a store whose writes are paused is not asked for claims', async () => {
  let claims = 0
  const set = async (): Promise<never> => {
    throw new Error('READONLY')
  }
  const claim = () => (claims++, { renew: () => true, release: () => {} })
  const { model } = started({ name: 's', get: async () => undefined, set, claim }, 'one', 0)
  for (const content of ['a', 'b', 'c', 'd', 'e']) await soon(model.create({ messages: [{ role: 'user', content }] }))
  expect(claims).toBe(3)
})

interface Client {
  readonly startAt: number
  readonly ms: number
  readonly fate: 'answers' | 'fails' | 'aborts' | 'dies'
}

const client = (fate: Client['fate']): fc.Arbitrary<Client> =>
  fc.record({ startAt: fc.nat(400), ms: fc.integer({ min: 1, max: 800 }), fate: fc.constant(fate) })

it('of any number of processes that fail, are aborted and die, one pays and the others have its answer', async () => {
  const clients = fc
    .tuple(
      fc.array(client('answers'), { minLength: 1, maxLength: 4 }),
      fc.array(client('fails'), { maxLength: 3 }),
      fc.array(client('aborts'), { maxLength: 3 }),
      fc.array(client('dies'), { maxLength: 2 }),
    )
    .map((lists) => lists.flat())
  await fc.assert(
    fc.asyncProperty(clients, async (all) => {
      const place = new SharedPlace()
      let paid = 0
      const ask = async ({ startAt, ms, fate }: Client, index: number): Promise<unknown> => {
        await new Promise((resolve) => setTimeout(resolve, startAt))
        let dead = false
        const reply: FakeReply = () => {
          if (fate === 'fails') return failureOf('server')
          if (fate !== 'dies') return `answer of ${index}`
          dead = true
          return new Promise<never>(() => {})
        }
        const { model } = started(
          place.client(String(index), () => dead),
          reply,
          ms,
          { cacheWait: 1000 },
        )
        const stop = new AbortController()
        if (fate === 'aborts') setTimeout(() => stop.abort(), ms / 2)
        // A process that has died is not waited for.
        const gone = new Promise<string>((resolve) => {
          const timer = setInterval(() => dead && (clearInterval(timer), resolve('dead')), 10)
          setTimeout(() => clearInterval(timer), 100_000)
        })
        const response = await Promise.race([model.create({ messages: hello }, stop), gone])
        if (typeof response === 'string') return response
        if (!response.cached) paid++
        return text(response)
      }
      const settled = value(await soon(Promise.allSettled(all.map(ask))))
      const answers = new Set(
        settled.flatMap((each) => (each.status === 'fulfilled' && each.value !== 'dead' ? [each.value] : [])),
      )
      expect([answers.size, paid, place.answers.size]).toEqual([1, 1, 1])
      for (const [index, { fate }] of all.entries()) {
        if (fate === 'answers') expect(settled[index]!.status).toBe('fulfilled')
      }
      const dead = new Set(all.flatMap(({ fate }, index) => (fate === 'dies' ? [String(index)] : [])))
      for (const { owner } of place.claims.values()) expect(dead).toContain(owner)
      vi.clearAllTimers()
    }),
    { numRuns: 25 },
  )
})
