import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, tool } from '@x/agent'
import type { HostedChat } from '@x/interfaces'
import { XError } from '@x/kernel'
import { scriptedModel } from '@x/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createHost, defineChat, sqlite, type DefinedChat, type Host } from './index.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

function hosted(chats: readonly DefinedChat[]): Host {
  const host = createHost({ chats, at: sqlite(':memory:') })
  stops.push(() => host.close())
  return host
}

function works(host: Host, concurrency: number = 10): () => Promise<void> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, concurrency, onError: () => {} })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return end
}

async function idsOf(host: Host): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of host.list()) ids.push(id)
  return ids
}

/** Defines the program of a part. */
const partOf = (run: (input: Record<string, unknown>, signal: AbortSignal) => unknown, concurrency = 2) =>
  defineChat({
    name: 'part',
    version: '1',
    concurrency,
    keeps: 'value',
    run: ({ input, run: { signal } }) => run(input, signal!),
  })

describe('a part of a chat', () => {
  it('is found by its identifier, however long that of its chat is', async () => {
    const part = defineChat({ name: 'part', version: '1', concurrency: 1, run: async ({ receive }) => await receive() })
    const parent = defineChat({ name: 'parent', version: '1', run: async ({ perform }) => await perform(part, {}) })
    const host = hosted([parent, part])
    works(host)
    const id = 'x'.repeat(200)
    await host.submit(parent, {}, { id })
    await expect.poll(async () => (await idsOf(host)).length).toBe(2)
    const partId = (await idsOf(host))[1]!
    expect(partId.startsWith(`${id}/part-`)).toBe(true)
    await host.send(partId, 'hello')
    expect(await host.result(id)).toBe('hello')
    for (const wrong of ['', 'a\0', '\ud800', 1]) {
      await expect(host.get(wrong as string)).rejects.toMatchObject({ code: 'invalid-argument' })
    }
  })

  it('runs on a worker, also when all slots are held by chats that wait for parts', async () => {
    let running = 0
    let most = 0
    const part = partOf(async ({ n }) => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return Number(n) * 2
    })
    const parent = defineChat({
      name: 'parent',
      version: '1',
      run: async ({ perform }) => await Promise.all([1, 2, 3, 4, 5].map((n) => perform(part, { n }))),
    })
    const host = hosted([parent, part])
    for (const id of ['a', 'b']) await host.submit(parent, {}, { id })
    works(host, 1)
    expect([await host.result('a'), await host.result('b')]).toEqual([
      [2, 4, 6, 8, 10],
      [2, 4, 6, 8, 10],
    ])
    expect(most).toBe(2)
    await expect.poll(() => idsOf(host)).toEqual(['a', 'b'])
  })

  it('is the same for equal input, and another one for another key', async () => {
    const inputs: unknown[] = []
    const part = partOf((input) => inputs.push(input))
    const parent = defineChat({
      name: 'parent',
      version: '1',
      async run({ perform }) {
        const first = await perform(part, { n: 1 })
        return [first, await perform(part, { n: 1 }), await perform(part, { n: 1 }, { key: 'again' })]
      },
    })
    const host = hosted([parent, part])
    await host.submit(parent, {}, { id: 'a' })
    works(host)
    expect([await host.result('a'), inputs.length]).toEqual([[1, 1, 2], 2])
  })

  it.each([
    [
      'with its code',
      () => new XError('budget-exceeded', 'too dear'),
      { code: 'budget-exceeded', message: 'too dear' },
    ],
    ['without a code', () => new Error('it broke'), { message: 'it broke' }],
  ])('that fails fails so, %s, and is run anew when it is asked for again', async (_, error, expected) => {
    let runs = 0
    const part = partOf(() => {
      if (runs++ === 0) throw error()
      return 'at last'
    })
    const failures: unknown[] = []
    const parent = defineChat({
      name: 'parent',
      version: '1',
      run: async ({ perform }) =>
        await perform(part, {}).catch(async (failure: unknown) => {
          failures.push(failure)
          return await perform(part, {})
        }),
    })
    const host = hosted([parent, part])
    await host.submit(parent, {}, { id: 'a' })
    works(host)
    expect(await host.result('a')).toBe('at last')
    expect(failures).toEqual([expect.objectContaining(expected)])
  })

  it('is cancelled when it is no longer needed', async () => {
    const started = Promise.withResolvers<void>()
    const part = partOf(async () => {
      started.resolve()
      return await new Promise(() => {})
    })
    const done = Promise.withResolvers<void>()
    const parent = defineChat({
      name: 'parent',
      version: '1',
      async run({ perform }) {
        const stop = new AbortController()
        const asked = perform(part, {}, { signal: stop.signal })
        await started.promise
        stop.abort()
        await expect(asked).rejects.toMatchObject({ code: 'aborted' })
        await done.promise
        return 'without it'
      },
    })
    const host = hosted([parent, part])
    await host.submit(parent, {}, { id: 'a' })
    works(host)
    await expect.poll(async () => (await statesOf(host))['part']).toBe('cancelled')
    done.resolve()
    expect(await host.result('a')).toBe('without it')
  })

  it('runs again after somebody else has cancelled it', async () => {
    let runs = 0
    const part = partOf(async () => (runs++ === 0 ? await new Promise(() => {}) : 'again'))
    const parent = defineChat({ name: 'parent', version: '1', run: async ({ perform }) => await perform(part, {}) })
    const host = hosted([parent, part])
    await host.submit(parent, {}, { id: 'a' })
    works(host)
    await expect.poll(() => runs).toBe(1)
    const [, id] = await idsOf(host)
    expect(id).toMatch(/^a\/part-/u)
    await host.cancel(id!)
    expect(await host.result('a')).toBe('again')
  })

  it('ends with its chat', async () => {
    const part = partOf(async () => await new Promise(() => {}))
    const parent = defineChat({ name: 'parent', version: '1', run: async ({ perform }) => await perform(part, {}) })
    const host = hosted([parent, part])
    await host.submit(parent, {}, { id: 'a' })
    await host.submit(parent, {}, { id: 'a!' })
    works(host)
    await expect.poll(async () => (await idsOf(host)).length).toBe(4)
    await host.cancel('a')
    expect(await idsOf(host)).toEqual(['a', 'a!', expect.stringMatching(/^a!\/part-/u)])
  })

  it('is distinguished from a chat with a similar name, which does not end with the parent', async () => {
    const part = partOf(async () => await new Promise(() => {}))
    const parent = defineChat({ name: 'parent', version: '1', run: async ({ perform }) => await perform(part, {}) })
    const host = hosted([parent, part])
    const own = ['report/part-1', 'report/part-2/part-1']
    for (const id of ['report', ...own]) await host.submit(parent, {}, { id })
    works(host)
    await expect.poll(async () => (await idsOf(host)).length).toBe(6)
    await host.cancel('report')
    const left = await idsOf(host)
    expect(left).toHaveLength(5)
    expect(left).toEqual(expect.arrayContaining(own))
  })

  it('stops at once when its chat is cancelled in the same process', async () => {
    const stopped = Promise.withResolvers<void>()
    const part = partOf(async (_, signal) => {
      signal.addEventListener('abort', () => stopped.resolve())
      await new Promise(() => {})
    })
    const parent = defineChat({ name: 'parent', version: '1', run: async ({ perform }) => await perform(part, {}) })
    const host = hosted([parent, part])
    await host.submit(parent, {}, { id: 'a' })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal, lease: 600 })
    await expect.poll(async () => (await statesOf(host))['part']).toBe('running')
    await host.cancel('a')
    await stopped.promise
    stop.abort()
    await work
  })

  it('does not run again when its chat was cancelled by another process; the chat stops at once', async () => {
    let runs = 0
    const part = partOf(async () => (runs++, await new Promise(() => {})))
    const stopped = Promise.withResolvers<void>()
    const parent = defineChat({
      name: 'parent',
      version: '1',
      async run({ perform, run }) {
        run.signal!.addEventListener('abort', () => stopped.resolve())
        for (;;) await perform(part, {}).catch(() => {})
      },
    })
    const file = join(mkdtempSync(join(tmpdir(), 'parts-')), 'chats.db')
    const [worker, other] = [sqlite(file), sqlite(file)].map((at) => createHost({ chats: [parent, part], at }))
    stops.push(async () => {
      await worker!.close()
      await other!.close()
    })
    await worker!.submit(parent, {}, { id: 'a' })
    const stop = new AbortController()
    const work = worker!.work({ signal: stop.signal, lease: 600, onError: () => {} })
    await expect.poll(() => runs).toBe(1)
    await other!.cancel('a')
    await stopped.promise
    stop.abort()
    await work
    expect([runs, await idsOf(other!)]).toEqual([1, ['a']])
  })

  it('continues when the worker releases its chat, and is found again', async () => {
    const gate = Promise.withResolvers<string>()
    let runs = 0
    const part = partOf(async () => (runs++, await gate.promise))
    let starts = 0
    const parent = defineChat({
      name: 'parent',
      version: '1',
      async run({ perform }) {
        starts++
        return await perform(part, {})
      },
    })
    const host = hosted([parent, part])
    await host.submit(parent, {}, { id: 'a' })
    const end = works(host)
    await expect.poll(() => runs).toBe(1)
    gate.resolve('kept')
    await end()
    works(host)
    expect([await host.result('a'), starts >= 1]).toEqual(['kept', true])
  })

  it('is deleted by the next worker of a file if the previous one died right after the end of the chat', async () => {
    const part = partOf(() => 1)
    const at = sqlite(':memory:')
    const host = createHost({ chats: [part], at })
    stops.push(() => host.close())
    const left = `a/part-${'-'.repeat(27)}.0`
    const another = 'b/part-of-another-kind'
    for (const id of ['a', left, another]) {
      await host.submit(part, {}, { id })
      await at.store.finish((await at.store.claim(id, 1))!, { state: 'done', value: 1 })
    }
    works(host)
    await expect.poll(() => idsOf(host)).toEqual(['a', another])
  })

  it('is performed by its own program, however few places that has', async () => {
    const sum: DefinedChat = defineChat({
      name: 'sum',
      version: '1',
      concurrency: 2,
      async run({ input, perform }) {
        const { n } = input as { n: number }
        const below =
          n === 0 ? [] : await Promise.all([1, 2].map((key) => perform(sum, { n: n - 1 }, { key: `${key}` })))
        return below.reduce((all: number, each) => all + Number(each), 1)
      },
    })
    const host = hosted([sum])
    works(host)
    for (const id of ['a', 'b', 'c']) await host.submit(sum as never, { n: 4 }, { id })
    for (const id of ['a', 'b', 'c']) expect(await host.result(id)).toBe(31)
    await expect.poll(async () => await idsOf(host)).toEqual(['a', 'b', 'c'])
  })

  it('is performed by programs that perform each other, however few places they have', async () => {
    const define = (name: string, other: () => DefinedChat): DefinedChat =>
      defineChat({
        name,
        version: '1',
        concurrency: 1,
        run: async ({ input, perform }) => {
          const { n } = input as { n: number }
          return n === 0 ? name : `${name} ${String(await perform(other(), { n: n - 1 }))}`
        },
      })
    const ping = define('ping', () => pong)
    const pong: DefinedChat = define('pong', () => ping)
    const host = hosted([ping, pong])
    works(host)
    for (const id of ['a', 'b']) await host.submit(ping as never, { n: 4 }, { id })
    for (const id of ['a', 'b']) expect(await host.result(id)).toBe('ping pong ping pong ping')
  })

  it('needs a program', async () => {
    const wrong = [undefined, 'part', { name: 'part', version: '1', concurrency: 1 }]
    const parent = defineChat({
      name: 'parent',
      version: '1',
      run: async ({ perform }) =>
        await Promise.all(
          wrong.map(async (each) => await perform(each as never, {}).catch((error: Error) => error.message)),
        ),
    })
    const host = hosted([parent])
    works(host)
    await host.submit(parent, {}, { id: 'a' })
    const refused = 'cannot perform a program: it is not a chat made by `defineChat`; give one'
    expect(await host.result('a')).toEqual([refused, refused, refused])
  })

  it('needs a `concurrency` of its own', async () => {
    const part = defineChat({ name: 'part', version: '1', run: () => 1 })
    const parent = defineChat({ name: 'parent', version: '1', run: async ({ perform }) => await perform(part, {}) })
    const host = hosted([parent, part])
    await host.submit(parent, {}, { id: 'a' })
    works(host)
    await expect(host.result('a')).rejects.toThrow('`concurrency`')
  })

  it('returns any JSON unchanged, with many parts at once', async () => {
    const part = partOf(({ value }) => value, 3)
    const parent = defineChat({
      name: 'parent',
      version: '1',
      run: async ({ input, perform }) =>
        await Promise.all(
          (input['values'] as unknown[]).map((value, key) => perform(part, { value }, { key: String(key) })),
        ),
    })
    const host = hosted([parent, part])
    works(host)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 6 }), async (values) => {
        const plain = JSON.parse(JSON.stringify(values)) as unknown[]
        const { id } = await host.submit(parent, { values: plain })
        expect(await host.result(id)).toEqual(plain)
      }),
      { numRuns: 20 },
    )
  })
})

async function statesOf(host: Host): Promise<Record<string, HostedChat['state']>> {
  const states: Record<string, HostedChat['state']> = {}
  for await (const { name, state } of host.list()) states[name] = state
  return states
}

it('a chat that keeps only its value fails when it would wait', async () => {
  const kept = { version: '1', concurrency: 1, keeps: 'value' } as const
  const listens = defineChat({ name: 'listens', ...kept, run: async ({ receive }) => await receive() })
  const asks = defineChat({
    name: 'asks',
    ...kept,
    async run({ run }) {
      const pay = tool({
        ...{ name: 'pay', description: 'Pays.', parameters: { type: 'object' } },
        needsApproval: true,
        execute: () => 'paid',
      })
      const call = { id: 'c', function: { name: 'pay', arguments: '{}' } }
      const llmConfig = scriptedModel([{ tool_calls: [call] }, 'done'])
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
      return (await clerk.run('Pay.', { tools: pay, run })).text
    },
  })
  const host = hosted([listens, asks])
  works(host)
  for (const chat of [listens, asks]) {
    const { id } = await host.submit(chat, {})
    await expect(host.result(id)).rejects.toThrow(`\`${chat.name}\` keeps only its value`)
  }
})

it('a chat that keeps only its value keeps neither events nor entries', async () => {
  const part = partOf(() => 1)
  const at = sqlite(':memory:')
  const host = createHost({ chats: [part], at })
  stops.push(() => host.close())
  await host.submit(part, {}, { id: 'a' })
  works(host)
  await host.result('a')
  for await (const { event } of host.events('a')) expect.unreachable(event.type)
  expect(await at.store.entries('a')).toEqual([])
})
