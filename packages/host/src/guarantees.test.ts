import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import { functionModel } from '@x/testing'
import type { HostBackend, HostedChat, JsonSchema } from '@x/interfaces'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clerkChat } from './clerk.fake.ts'
import { findFaults, logOf } from './event-laws.fake.ts'
import { createHost, defineChat, sqlite, type ChatDefinition, type DefinedChat, type Host } from './index.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

const LARGE = { order: '17', euros: 25 }

function hosted(chats: readonly DefinedChat[], at: HostBackend = sqlite(':memory:')): Host {
  const host = createHost({ chats, at })
  stops.push(async () => await host.close())
  return host
}

function works(host: Host, errors: unknown[] = []): () => Promise<void> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, onError: (error) => void errors.push(error) })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return end
}

const stateOf = async (host: Host, id: string): Promise<HostedChat['state'] | undefined> => (await host.get(id))?.state
const define = (name: string, run: ChatDefinition<JsonSchema, unknown>['run'], more: object = {}) =>
  defineChat({ name, version: '1', run, ...more })

describe('messages', () => {
  it('are each used once, also when another human has answered before', async () => {
    const chat = define('mixed', async ({ receive, run }) => {
      const io = { takes: new Set<never>(), send: () => {}, input: () => 'by myself' }
      const person = new UserProxyAgent({ name: 'person', io, humanInputMode: 'ALWAYS', codeExecutionConfig: false })
      const assistant = new AssistantAgent({ name: 'assistant', llmConfig: functionModel(() => 'hello') })
      await person.initiateChat(assistant, { message: 'Hi.', maxTurns: 2, run })
      return [await receive(), await receive()]
    })
    const host = hosted([chat])
    await host.submit(chat, {}, { id: 'a' })
    works(host)
    for (const message of ['one', 'two']) {
      await expect.poll(() => stateOf(host, 'a')).toBe('suspended')
      await host.send('a', message)
    }
    expect(await host.result('a')).toEqual(['one', 'two'])
  })

  it('and decisions cannot be awaited by a program that keeps only its value: it fails', async () => {
    const pay = tool({
      name: 'pay',
      description: 'p',
      parameters: { type: 'object' },
      needsApproval: true,
      execute: () => '',
    })
    const call = { id: 'c', type: 'function' as const, function: { name: 'pay', arguments: '{}' } }
    const approving = define(
      'approving',
      async ({ run }) => {
        const clerk = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => ({ tool_calls: [call] })) })
        return (await clerk.run('go', { tools: pay, run })).text
      },
      { keeps: 'value' },
    )
    const receiving = define('receiving', async ({ receive }) => await receive(), { keeps: 'value' })
    const host = hosted([approving, receiving])
    works(host)
    for (const chat of [approving, receiving]) {
      const { id } = await host.submit(chat, {})
      await expect(host.result(id)).rejects.toThrow('keeps only its value')
    }
  })
})

describe('a message with an `id`', () => {
  it('is sent once, also when the chat has ended since, and another message under the `id` is refused', async () => {
    const chat = define('two', async ({ receive }) => [await receive(), await receive()])
    const host = hosted([chat])
    await host.submit(chat, {}, { id: 'a' })
    works(host)
    for (let n = 0; n < 3; n++) await host.send('a', { text: 'one', to: 'ann' }, { id: 'first' })
    await host.send('a', { to: 'ann', text: 'one' }, { id: 'first' })
    await expect.poll(() => stateOf(host, 'a')).toBe('suspended')
    await expect(host.send('a', 'other', { id: 'first' })).rejects.toMatchObject({
      code: 'invalid-state',
      message: expect.stringContaining('another one with the `id` `first`') as string,
    })
    await host.send('a', 'two', { id: 'second' })
    expect(await host.result('a')).toEqual([{ text: 'one', to: 'ann' }, 'two'])
    await host.send('a', 'two', { id: 'second' })
    await expect(host.send('a', 'three', { id: 'third' })).rejects.toThrow('it is done')
    await expect(host.send('b', 'one', { id: 'first' })).rejects.toThrow('no chat `b`')
  })
})

describe('a program that does not fit the journal of a chat', () => {
  it('is refused with place and reason, and the chat continues with a program that fits', async () => {
    const at = sqlite(':memory:')
    const right = clerkChat()
    const host = hosted([right], { ...at, close() {} })
    await host.submit(right, LARGE, { id: 'a' })
    const end = works(host)
    await expect.poll(() => stateOf(host, 'a')).toBe('suspended')
    await end()
    const wrong = define('clerk', async ({ run }) => {
      const other = new AssistantAgent({ name: 'other', llmConfig: functionModel(() => 'hello') })
      return (await other.run('Something else.', { maxTurns: 1, run })).text
    })
    const errors: unknown[] = []
    const deployed = hosted([wrong], { ...at, close() {} })
    const stop = new AbortController()
    const onError = (error: unknown): void => {
      errors.push(error)
      stop.abort()
    }
    for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
    const before = await at.events.read('a', null, 1000)
    await deployed.work({ signal: stop.signal, onError })
    // The other program has told nothing.
    expect(await at.events.read('a', null, 1000)).toEqual(before)
    expect(errors[0]).toMatchObject({
      code: 'invalid-state',
      message: expect.stringMatching(/chat `a`.*at `1\.0`/u) as string,
    })
    const put = (await host.get('a'))!
    expect(put).toMatchObject({ state: 'waiting', outcome: null })
    expect(put.reason).toContain('does not go on as it was saved')
    // The decision is not lost, and the saved entry ends the row of setbacks.
    works(hosted([right], at))
    expect(await host.result('a')).toBe('done: 25 euros')
    expect(findFaults(await logOf(host, 'a'), 'suspended')).toEqual([])
  })

  it('is refused when it takes another input', async () => {
    const at = sqlite(':memory:')
    const [old, next] = [clerkChat(), define('clerk', () => 'never', { input: { type: 'object', required: ['more'] } })]
    const host = hosted([next], at)
    await host.submit(old, LARGE, { id: 'a' })
    const errors: unknown[] = []
    works(host, errors)
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    expect(await host.get('a')).toMatchObject({ state: 'waiting', outcome: null })
  })
})

describe('parts', () => {
  it('of a chat that has ended or was deleted are deleted and not run', async () => {
    let runs = 0
    const name = `part-${'x'.repeat(27)}.0`
    const counting = define('part', () => runs++, { concurrency: 2, keeps: 'value' })
    const at = sqlite(':memory:')
    const host = hosted([counting], at)
    await host.submit(counting, {}, { id: 'ended' })
    await host.cancel('ended')
    for (const parent of ['ended', 'gone']) {
      await at.store.submit({ id: `${parent}/${name}`, name: 'part', version: '1', input: {} })
    }
    works(host)
    await expect.poll(async () => await host.get(`gone/${name}`)).toBe(null)
    await expect.poll(async () => await host.get(`ended/${name}`)).toBe(null)
    expect(runs).toBe(0)
  })
})

describe('retention', () => {
  it('keeps the parts of a chat that has not ended, because it may ask for them again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    stops.push(async () => void vi.useRealTimers())
    let runs = 0
    const part = define('part', () => ++runs, { concurrency: 2, keeps: 'value' })
    const parent = define('parent', async ({ perform, receive }) => [await perform(part, {}), await receive()])
    const at = sqlite(':memory:')
    const host = createHost({ chats: [part, parent], at, retention: 0 })
    stops.push(async () => await host.close())
    await host.submit(parent, {}, { id: 'a' })
    await host.submit(part, {}, { id: 'alone' })
    works(host)
    await expect.poll(() => stateOf(host, 'a')).toBe('suspended')
    await expect.poll(() => stateOf(host, 'alone')).toBe('done')
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => stateOf(host, 'alone')).toBe(undefined)
    const before = runs
    await host.send('a', 'on')
    expect(await host.result('a')).toEqual([expect.any(Number), 'on'])
    expect(runs).toBe(before)
  })

  it('deletes all at once that has ended since the last time', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    stops.push(async () => void vi.useRealTimers())
    const chat = define('any', () => 1)
    const host = createHost({ chats: [chat], at: sqlite(':memory:'), retention: 0 })
    stops.push(async () => await host.close())
    const ids = Array.from({ length: 110 }, (_, n) => `${n}`)
    await Promise.all(ids.map((id) => host.submit(chat, {}, { id })))
    works(host)
    await Promise.all(ids.map((id) => host.result(id)))
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => host.counts()).toEqual([])
  })
})

describe('input that is not JSON', () => {
  const chat = define('any', ({ input }) => input)
  const circular: { self?: unknown } = {}
  circular.self = circular

  it.each([1n, circular])('is refused', async (value) => {
    const host = hosted([chat])
    await expect(host.submit(chat, value as never, { id: 'a' })).rejects.toMatchObject({ code: 'invalid-argument' })
    await host.submit(chat, {}, { id: 'a' })
    await expect(host.send('a', value as never)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('is null when JSON leaves it out, however often it is submitted', async () => {
    const host = hosted([chat])
    for (let n = 0; n < 2; n++) expect((await host.submit(chat, (() => 1) as never, { id: 'a' })).input).toBe(null)
  })
})

it('a reader gets an error when the chat is deleted before the last event', async () => {
  const chat = clerkChat()
  const host = hosted([chat])
  await host.submit(chat, { order: '17', euros: 5 }, { id: 'a' })
  works(host)
  await host.result('a')
  const read = async (): Promise<void> => {
    let seen = 0
    for await (const _ of host.events('a')) if (++seen === 1) await host.delete('a')
  }
  await expect(read()).rejects.toThrow('no chat `a`')
})

it('an error of the store does not end the work', async () => {
  const at = sqlite(':memory:')
  const due = at.store.due.bind(at.store)
  let failures = 0
  at.store.due = (...args) => {
    if (failures++ < 2) throw new Error('the disk does not answer')
    return due(...args)
  }
  const host = hosted([clerkChat()], at)
  await host.submit(clerkChat(), { order: '17', euros: 5 }, { id: 'a' })
  const errors: unknown[] = []
  works(host, errors)
  expect(await host.result('a')).toBe('done: 5 euros')
  expect(errors).toHaveLength(2)
})
