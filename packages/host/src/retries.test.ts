import { createAgent, tool } from '@x/agent'
import type { ModelErrorKind } from '@x/interfaces'
import { XError } from '@x/kernel'
import { foldEvents } from '@x/kernel/events'
import { functionModel } from '@x/testing'
import { failCalls } from '@x/testing/hosting'
import { afterEach, describe, expect, it } from 'vitest'
import { clerkChat, type Order } from './clerk.fake.ts'
import { findFaults, logOf } from './event-laws.fake.ts'
import { createHost, defineChat, sqlite, type DefinedChat, type Host } from './index.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

const HOUR_MS = 3_600_000

/** A store whose clock stands still until a test moves it. */
function clockedStore() {
  const clock = { now: 1_800_000_000_000 }
  const at = sqlite(':memory:', { now: () => clock.now })
  stops.push(async () => await at.close())
  return { at, clock }
}

function hosted(chats: readonly DefinedChat[], at: ReturnType<typeof sqlite>): Host {
  return createHost({ chats, at: { ...at, close() {} } })
}

function works(host: Host, errors: unknown[] = []): () => Promise<void> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, concurrency: 100, onError: (error) => void errors.push(error) })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return end
}

/** A provider that may be down, and a bank that counts its payments by their keys. */
function world() {
  const paid = new Map<string, number>()
  const state = { down: null as XError | null, asked: 0, refused: 0 }
  const clerk = clerkChat({
    asked() {
      state.asked++
      if (!state.down) return
      state.refused++
      throw state.down
    },
    paid: (_, key) => void paid.set(key, (paid.get(key) ?? 0) + 1),
  })
  return { clerk, paid, state }
}

const down = (kind: ModelErrorKind, retryAfterMs?: number): XError =>
  new XError('model-failed', `the provider says ${kind}`, { kind, retryAfterMs })

const LARGE: Order = { order: '17', euros: 25 }

async function statesOf(host: Host): Promise<Record<string, number>> {
  const states: Record<string, number> = {}
  for (const { state, count } of await host.counts()) states[state] = (states[state] ?? 0) + count
  return states
}

async function decideAll(host: Host): Promise<void> {
  for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
}

describe('a chat whose provider fails for an hour', () => {
  it('waits to retry, goes on from its journal, and pays once', { timeout: 60_000 }, async () => {
    const { at, clock } = clockedStore()
    const { clerk, paid, state } = world()
    const host = hosted([clerk], at)
    const ids = Array.from({ length: 12 }, (_, n) => `chat-${n}`)
    for (const id of ids) await host.submit(clerk, LARGE, { id })
    const errors: unknown[] = []
    works(host, errors)
    await expect.poll(() => statesOf(host)).toEqual({ suspended: 12 })
    const askedBefore = state.asked
    state.down = down('overloaded')
    await decideAll(host)
    const start = clock.now
    // The bank has paid, and the report of the clerk fails.
    let rounds = 0
    while (clock.now - start < HOUR_MS) {
      await expect.poll(() => statesOf(host)).toEqual({ 'waiting-to-retry': 12 })
      rounds++
      clock.now += 1_200_000
      await expect.poll(() => state.refused).toBe(12 * (rounds + 1))
    }
    await expect.poll(() => statesOf(host)).toEqual({ 'waiting-to-retry': 12 })
    const chat = (await host.get('chat-0'))!
    expect(chat).toMatchObject({ outcome: null, setbacks: 0, reason: 'the provider says overloaded' })
    expect(chat.retry).toMatchObject({ kind: 'overloaded', since: start, failures: rounds + 1 })
    expect(chat.retry!.at).toBeGreaterThan(clock.now)
    state.down = null
    clock.now += 600_000
    for (const id of ids) expect(await host.result(id)).toBe('done: 25 euros')
    expect(paid.size).toBe(12)
    expect([...paid.values()].every((times) => times === 1)).toBe(true)
    expect(state.asked - askedBefore).toBe(12 * (rounds + 2))
    expect(errors).toEqual([])
    expect(await host.get('chat-0')).toMatchObject({ state: 'done', retry: null })
  })

  it('tells its events once more from the call that failed, and that it waits', async () => {
    const { at, clock } = clockedStore()
    const { clerk, state } = world()
    const host = hosted([clerk], at)
    await host.submit(clerk, { order: '17', euros: 5 }, { id: 'a' })
    state.down = down('rate-limit', 20_000)
    works(host)
    for (let n = 0; n < 3; n++) {
      await expect.poll(async () => (await host.get('a'))!.retry?.failures).toBe(n + 1)
      clock.now += 25_000
    }
    state.down = null
    expect(await host.result('a')).toBe('done: 5 euros')
    const events = await logOf(host, 'a')
    expect(findFaults(events, 'released')).toEqual([])
    expect(events.filter(({ type }) => type === 'waitingToRetry')).toMatchObject(
      [1, 2, 3].map((failures) => ({
        ...{ kind: 'rate-limit', reason: 'the provider says rate-limit', failures, runId: 'a' },
      })),
    )
    for (const event of events) {
      if (event.type !== 'waitingToRetry') continue
      expect(event.delayMs).toBeGreaterThanOrEqual(20_000)
      expect(event.delayMs).toBeLessThanOrEqual(25_000)
    }
    const { chats, toolCalls } = foldEvents(events)
    expect(chats).toMatchObject([{ outcome: 'ok', error: null, summary: 'done: 5 euros' }])
    expect(toolCalls).toHaveLength(2)
    const lines = (await host.metrics()).split('\n')
    expect(lines).toContain('hosted_chat_turns_total{chat="clerk",version="1",end="retry"} 3')
    expect(lines).toContain('hosted_chats{chat="clerk",version="1",state="waiting-to-retry"} 0')
  })

  it('goes on when its log cannot be read at the next turn', async () => {
    const memory = sqlite(':memory:')
    stops.push(async () => await memory.close())
    let reads = 0
    const at = failCalls(memory, (name) => (name === 'events.read' && reads++ === 0 ? 'before' : undefined))
    let isDown = true
    const chat = defineChat({
      name: 'chat',
      version: '1',
      retry: { firstDelay: 0.01 },
      run() {
        if (!isDown) return 'done'
        isDown = false
        throw down('overloaded')
      },
    })
    const host = createHost({ chats: [chat], at: { ...at, close() {} } })
    await host.submit(chat, {}, { id: 'a' })
    const errors: unknown[] = []
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal, lease: 1, onError: (error) => void errors.push(error) })
    await expect.poll(async () => (await memory.store.get('a'))?.outcome).toEqual({ state: 'done', value: 'done' })
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('could not continue') })])
    stop.abort()
    await work
  })

  it('waits on while its workers are replaced', async () => {
    const { at, clock } = clockedStore()
    const { clerk, state, paid } = world()
    const first = hosted([clerk], at)
    await first.submit(clerk, LARGE, { id: 'a' })
    const end = works(first)
    await expect.poll(() => statesOf(first)).toEqual({ suspended: 1 })
    state.down = down('server')
    await decideAll(first)
    await expect.poll(() => statesOf(first)).toEqual({ 'waiting-to-retry': 1 })
    await end()
    const second = hosted([clerk], at)
    expect(await second.get('a')).toMatchObject({ state: 'waiting-to-retry', retry: { failures: 1 } })
    for await (const { id } of second.list({ state: 'waiting-to-retry' })) expect(id).toBe('a')
    works(second)
    state.down = null
    clock.now += 1000
    expect(await second.result('a')).toBe('done: 25 euros')
    expect([...paid.values()]).toEqual([1])
  })

  it('can be cancelled while it waits', async () => {
    const { at } = clockedStore()
    const { clerk, state } = world()
    const host = hosted([clerk], at)
    state.down = down('timeout')
    await host.submit(clerk, LARGE, { id: 'a' })
    works(host)
    await expect.poll(() => statesOf(host)).toEqual({ 'waiting-to-retry': 1 })
    expect(await host.cancel('a', 'enough')).toBe(true)
    expect(await statesOf(host)).toEqual({ cancelled: 1 })
  })
})

describe('a tool of a chat', () => {
  /** A chief who lets an expert look for something, by a tool that fails as the test says. */
  function chiefWith(fail: () => unknown, retry?: DefinedChat['retry']) {
    const told: unknown[] = []
    const state = { isDown: true, looked: 0 }
    const calling = (name: string) => ({
      content: null,
      tool_calls: [{ id: name, type: 'function' as const, function: { name, arguments: '{"question":"where?"}' } }],
    })
    const chief = defineChat({
      name: 'chief',
      version: '1',
      retry,
      async run({ run }) {
        const look = tool({ name: 'look', description: 'Looks.', execute: () => `${++state.looked} found` })
        const expertModel = functionModel(({ messages }) => {
          if (messages.at(-1)!.role !== 'tool') return calling('look')
          if (state.isDown) throw fail()
          return `the expert says ${messages.at(-1)!.content as string}`
        })
        const expert = createAgent({ name: 'expert', model: expertModel, instructions: 'Looks.', tools: look })
        const model = functionModel(({ messages }) => {
          if (messages.at(-1)!.role !== 'tool') return calling('expert')
          told.push(messages.at(-1)!.content)
          return 'done'
        })
        return (await createAgent({ name: 'chief', model, tools: expert.asTool() }).run('Go.', { run })).text
      },
    })
    return { chief, told, state }
  }

  it('that is an agent sets the chat back if its model fails in a way that passes, and goes on inside', async () => {
    const { at, clock } = clockedStore()
    const { chief, told, state } = chiefWith(() => down('overloaded'))
    const host = hosted([chief], at)
    await host.submit(chief, {}, { id: 'a' })
    works(host)
    await expect.poll(() => statesOf(host)).toEqual({ 'waiting-to-retry': 1 })
    clock.now += 1000
    await expect.poll(async () => (await host.get('a'))!.retry?.failures).toBe(2)
    state.isDown = false
    clock.now += 2000
    expect(await host.result('a')).toBe('done')
    expect(told).toEqual(['the expert says 1 found'])
    expect(state.looked).toBe(1)
    expect(findFaults(await logOf(host, 'a'), 'released')).toEqual([])
  })

  it.each<[string, () => unknown, DefinedChat['retry'], string]>([
    ['of a kind that does not pass', () => down('auth'), undefined, 'the provider says auth'],
    ['of a chat that waits out nothing', () => down('overloaded'), { most: 0 }, 'the provider says overloaded'],
    ['of a kind that the policy leaves out', () => down('server'), { kinds: ['timeout'] }, 'the provider says server'],
    ['of a service', () => Object.assign(new Error('gone'), { code: 'ECONNRESET' }), undefined, 'gone'],
  ])('tells the model an error %s', async (_, fail, retry, text) => {
    const { at } = clockedStore()
    const { chief, told } = chiefWith(fail, retry)
    const host = hosted([chief], at)
    await host.submit(chief, {}, { id: 'a' })
    works(host)
    expect(await host.result('a')).toBe('done')
    expect(told).toEqual([`Error: ${text}`])
  })
})

describe('a failure ends its chat', () => {
  it('if its kind does not pass', async () => {
    const { at } = clockedStore()
    const { clerk, state } = world()
    const host = hosted([clerk], at)
    state.down = down('auth')
    await host.submit(clerk, LARGE, { id: 'a' })
    works(host)
    await expect(host.result('a')).rejects.toThrow('the provider says auth')
    expect((await host.get('a'))!.outcome).toMatchObject({ error: { code: 'model-failed', kind: 'auth' } })
  })

  it('when the time or the number of its policy is over', async () => {
    const { at, clock } = clockedStore()
    const fail = async (): Promise<never> => await Promise.reject(down('server'))
    const twice = defineChat({ name: 'twice', version: '1', run: fail, retry: { most: 2 } })
    const minute = defineChat({ name: 'minute', version: '1', run: fail, retry: { for: 60 }, keeps: 'value' })
    const never = defineChat({ name: 'never', version: '1', run: fail, retry: { kinds: ['timeout'] } })
    const host = hosted([twice, minute, never], at)
    for (const chat of [twice, minute, never]) await host.submit(chat, {}, { id: chat.name })
    works(host)
    await expect(host.result('never')).rejects.toThrow('the provider says server')
    await expect.poll(() => statesOf(host)).toEqual({ failed: 1, 'waiting-to-retry': 2 })
    for (let n = 0; n < 8; n++) {
      clock.now += 30_000
      await expect.poll(async () => (await statesOf(host))['running'] ?? 0).toBe(0)
      await expect.poll(async () => (await at.store.due([twice, minute], 9)).length).toBe(0)
    }
    for (const id of ['twice', 'minute']) await expect(host.result(id)).rejects.toThrow('the provider says server')
    expect((await host.get('twice'))!.turn).toBe(2)
  })
})

describe('a failed chat', () => {
  it('goes on from its journal when it is resumed, with the same keys', async () => {
    const { at } = clockedStore()
    const { clerk, state, paid } = world()
    const host = hosted([clerk], at)
    works(host)
    await host.submit(clerk, LARGE, { id: 'a' })
    await expect.poll(() => statesOf(host)).toEqual({ suspended: 1 })
    state.down = down('quota')
    await decideAll(host)
    await expect(host.result('a')).rejects.toThrow('the provider says quota')
    const asked = state.asked
    const failed = await logOf(host, 'a')
    state.down = null
    expect(await host.resume('a')).toBe(1)
    expect(await host.result('a')).toBe('done: 25 euros')
    expect(state.asked).toBe(asked + 1)
    expect([...paid]).toEqual([[expect.stringMatching(/^a\//u), 1]])
    const events = await logOf(host, 'a')
    expect(events.slice(0, failed.length)).toEqual(failed)
    expect(findFaults(events, 'released')).toEqual([])
    expect(foldEvents(events).chats).toMatchObject([{ outcome: 'ok', summary: 'done: 25 euros' }])
    await expect(host.resume('a')).rejects.toThrow('cannot resume the chat `a`: it is done')
    await expect(host.resume('b')).rejects.toThrow('no chat `b`')
  })

  it('is resumed with all of a reason, which `failures` lists', async () => {
    const { at } = clockedStore()
    const { clerk, state } = world()
    const broken = defineChat({ name: 'broken', version: '1', run: () => Promise.reject(new Error('out of paper')) })
    const host = hosted([clerk, broken], at)
    works(host)
    const submitFailing = async (kind: ModelErrorKind, ids: readonly string[]): Promise<void> => {
      state.down = down(kind)
      for (const id of ids) await host.submit(clerk, { order: '17', euros: 5 }, { id })
      for (const id of ids) await host.result(id).catch(() => {})
    }
    await submitFailing(
      'quota',
      Array.from({ length: 25 }, (_, n) => `quota-${n}`),
    )
    await submitFailing('auth', ['auth-1'])
    state.down = down('overloaded')
    await host.submit(clerk, { order: '17', euros: 5 }, { id: 'busy' })
    for (const id of ['x', 'y']) await host.submit(broken, {}, { id })
    await expect.poll(() => statesOf(host)).toEqual({ failed: 28, 'waiting-to-retry': 1 })
    const all = { version: '1', state: 'failed' }
    expect(await host.failures()).toEqual([
      {
        ...{
          ...all,
          name: 'clerk',
          kind: 'quota',
          code: 'model-failed',
          message: 'the provider says quota',
          count: 25,
        },
        ids: Array.from({ length: 25 }, (_, n) => `quota-${n}`).toSorted(),
      },
      { ...all, name: 'broken', kind: null, code: null, message: 'out of paper', count: 2, ids: ['x', 'y'] },
      {
        ...{ ...all, name: 'clerk', kind: 'auth', code: 'model-failed', message: 'the provider says auth', count: 1 },
        ids: ['auth-1'],
      },
    ])
    expect(await host.failures({ state: 'waiting-to-retry' })).toMatchObject([{ kind: 'overloaded', ids: ['busy'] }])
    expect(await host.failures({ message: 'out of paper' })).toMatchObject([{ ids: ['x', 'y'] }])
    state.down = null
    expect(await host.resume({ kind: 'quota', chat: clerk })).toBe(25)
    for (let n = 0; n < 25; n++) expect(await host.result(`quota-${n}`)).toBe('done: 5 euros')
    expect(await statesOf(host)).toEqual({ done: 25, failed: 3, 'waiting-to-retry': 1 })
    expect(await host.resume({ state: 'waiting-to-retry' })).toBe(1)
    expect(await host.result('busy')).toBe('done: 5 euros')
    expect(await host.resume({ kind: null, code: null })).toBe(2)
    await expect.poll(() => statesOf(host)).toEqual({ done: 26, failed: 3 })
  })

  it('keeps the values of its parts until it is deleted', async () => {
    const { at } = clockedStore()
    let parts = 0
    let isBroken = true
    const part = defineChat({ name: 'part', version: '1', concurrency: 2, keeps: 'value', run: () => ++parts })
    const whole = defineChat({
      name: 'whole',
      version: '1',
      async run({ perform }) {
        const value = await perform(part, {})
        if (isBroken) throw new Error('out of paper')
        return value
      },
    })
    const host = hosted([part, whole], at)
    const end = works(host)
    await host.submit(whole, {}, { id: 'a' })
    await expect(host.result('a')).rejects.toThrow('out of paper')
    await end()
    works(host)
    expect(await host.resume('a')).toBe(1)
    await expect(host.result('a')).rejects.toThrow('out of paper')
    isBroken = false
    await host.resume('a')
    expect(await host.result('a')).toBe(1)
    expect(parts).toBe(1)
    await expect.poll(() => statesOf(host)).toEqual({ done: 1 })
  })
})
