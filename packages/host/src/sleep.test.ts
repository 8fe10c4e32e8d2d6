import { createAgent } from '@x/agent'
import type { HostBackend, HostedChat, JournalEntry } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { clockedStore, hostsOfTests, inState } from './clocked-host.fake.ts'
import { findFaults, logOf } from './event-laws.fake.ts'
import { defineChat, type Host } from './index.ts'

const HOUR_S = 3600
const hostWith = hostsOfTests()
const stateOf = async (host: Host): Promise<HostedChat['state']> => (await host.get('a'))!.state

const naps = defineChat({
  name: 'naps',
  version: '1',
  async run({ sleep, receive }) {
    await sleep(HOUR_S)
    return await receive()
  },
})

describe('a chat that sleeps', () => {
  it('has no process until its time, and goes on where it was', async () => {
    const { at, clock } = clockedStore()
    let calls = 0
    const model = functionModel(() => ({ content: `answer ${++calls}` }))
    const naps = defineChat({
      name: 'naps',
      version: '1',
      async run({ sleep, run }) {
        const agent = () => createAgent({ name: 'agent', model })
        const first = await agent().run('one', { run })
        await sleep(HOUR_S)
        const second = await agent().run('two', { run })
        await sleep(new Date(Date.UTC(2026, 0, 3)))
        return [first.text, second.text]
      },
    })
    const { host, end } = hostWith(at, naps)
    await host.submit(naps, {}, { id: 'a' })
    const wakesAt = (await inState(host, 'suspended')).wakesAt!
    expect(Math.floor((wakesAt - clock.now) / 1000)).toBe(HOUR_S)
    clock.now = wakesAt - 1
    await end()
    // Another worker goes on, and the clock has jumped.
    const next = hostWith(at, naps).host
    expect(await stateOf(next)).toBe('suspended')
    clock.now += 1
    await expect.poll(async () => (await next.get('a'))!.wakesAt, { interval: 2 }).toBe(Date.UTC(2026, 0, 3))
    clock.now = Date.UTC(2026, 5, 1)
    expect(await next.result('a')).toEqual(['answer 1', 'answer 2'])
    expect(calls).toBe(2)
    expect(findFaults(await logOf(next, 'a'), 'suspended')).toEqual([])
  })

  it('does not sleep again when the clock is set back behind a time that has come', async () => {
    const { at, clock } = clockedStore()
    const { host } = hostWith(at, naps)
    await host.submit(naps, {}, { id: 'a' })
    clock.now = (await inState(host, 'suspended')).wakesAt!
    await expect.poll(async () => (await host.get('a'))!.wakesAt, { interval: 2 }).toBe(null)
    await inState(host, 'suspended')
    clock.now -= 48 * HOUR_S * 1000
    await host.send('a', 'hello')
    expect(await host.result('a')).toBe('hello')
  })

  it('sleeps on when a message comes that it does not wait for, and uses it later', async () => {
    const { at, clock } = clockedStore()
    const { host } = hostWith(at, naps)
    await host.submit(naps, {}, { id: 'a' })
    const { wakesAt } = await inState(host, 'suspended')
    clock.now += 60_000
    await host.send('a', 'early')
    await expect.poll(async () => (await host.get('a'))!.turn, { interval: 2 }).toBeGreaterThan(2)
    expect(await inState(host, 'suspended')).toMatchObject({ wakesAt })
    clock.now = wakesAt!
    expect(await host.result('a')).toBe('early')
  })

  it('wakes at the first of several times', async () => {
    const { at, clock } = clockedStore()
    const naps = defineChat({
      name: 'naps',
      version: '1',
      async run({ sleep }) {
        const woken: number[] = []
        const nap = async (hours: number): Promise<void> => {
          await sleep(hours * HOUR_S)
          woken.push(hours)
        }
        await Promise.all([nap(3), nap(1), nap(2)])
        return woken
      },
    })
    const { host } = hostWith(at, naps)
    await host.submit(naps, {}, { id: 'a' })
    for (let from = clock.now, hours = 1; hours <= 3; hours++) {
      const isNext = async (): Promise<boolean> => (await host.get('a'))!.wakesAt! - from >= hours * HOUR_S * 1000
      await expect.poll(isNext, { interval: 2 }).toBe(true)
      clock.now = (await host.get('a'))!.wakesAt!
    }
    expect(await host.result('a')).toEqual([1, 2, 3])
  })

  it.each(['sleep', 'receive'] as const)('lets what goes on beside it come to its end: %s', async (how) => {
    const { at, clock } = clockedStore()
    const gate = Promise.withResolvers<void>()
    let calls = 0
    const model = functionModel(async () => {
      calls++
      await gate.promise
      return { content: 'done' }
    })
    const both = defineChat({
      name: 'both',
      version: '1',
      async run({ sleep, receive, run }) {
        const beside = createAgent({ name: 'agent', model }).run('Go.', { run })
        await Promise.all([beside, how === 'sleep' ? sleep(HOUR_S) : receive()])
        return (await beside).text
      },
    })
    const { host } = hostWith(at, both)
    await host.submit(both, {}, { id: 'a' })
    await expect.poll(() => calls, { interval: 2 }).toBe(1)
    expect(await stateOf(host)).toBe('running')
    gate.resolve()
    const { wakesAt } = await inState(host, 'suspended')
    if (how === 'sleep') clock.now = wakesAt!
    else await host.send('a', 'hello')
    expect(await host.result('a')).toBe('done')
    expect(calls).toBe(1)
    expect(findFaults(await logOf(host, 'a'), 'suspended')).toEqual([])
  })

  it('refuses what is no time', async () => {
    const { at } = clockedStore()
    const naps = defineChat({
      name: 'naps',
      version: '1',
      run: async ({ input, sleep }) => await sleep(input as never),
    })
    const { host } = hostWith(at, naps)
    for (const [id, time] of [
      ['a', 'soon'],
      ['b', 1e12],
      ['c', null],
    ] as const) {
      await host.submit(naps, time as never, { id })
      await expect(host.result(id)).rejects.toThrow('give seconds from now, or a date, at most ten years ahead')
    }
  })

  it('is refused for a program that keeps its value', async () => {
    const { at } = clockedStore()
    const naps = defineChat({ name: 'naps', version: '1', keeps: 'value', run: ({ sleep }) => sleep(5) })
    const { host } = hostWith(at, naps)
    await host.submit(naps, {}, { id: 'a' })
    await expect(host.result('a')).rejects.toThrow('cannot wait for a time')
  })
})

describe('a message with a time', () => {
  const asks = defineChat({
    name: 'asks',
    version: '1',
    async run({ receive }) {
      const first = await receive({ timeout: HOUR_S })
      const second = await receive({ timeout: HOUR_S })
      return [first ?? 'nobody', second ?? 'nobody', await receive()]
    },
  })

  it.each([
    [
      [false, false],
      ['nobody', 'nobody', 'last'],
    ],
    [
      [true, false],
      ['hello', 'nobody', 'last'],
    ],
    [
      [false, true],
      ['nobody', 'hello', 'last'],
    ],
    [
      [true, true],
      ['hello', 'hello', 'last'],
    ],
  ])('comes or not: %j', async (comes, value) => {
    const { at, clock } = clockedStore()
    const { host, end } = hostWith(at, asks)
    await host.submit(asks, {}, { id: 'a' })
    for (const isSent of comes) {
      const { wakesAt } = await inState(host, 'suspended')
      if (isSent) {
        await host.send('a', 'hello')
        await expect.poll(async () => (await host.get('a'))!.wakesAt, { interval: 2 }).not.toBe(wakesAt)
      } else {
        clock.now = wakesAt!
        await expect.poll(async () => (await host.get('a'))!.wakesAt, { interval: 2 }).not.toBe(wakesAt)
      }
      await inState(host, 'suspended')
      clock.now += 1000
    }
    await end()
    const next = hostWith(at, asks).host
    await next.send('a', 'last')
    expect(await next.result('a')).toEqual(value)
  })

  it('counts if it is there before the program looks, also when its time is over', async () => {
    const { at, clock } = clockedStore()
    const { host, end } = hostWith(at, asks)
    await host.submit(asks, {}, { id: 'a' })
    const { wakesAt } = await inState(host, 'suspended')
    await end()
    await host.send('a', 'in time')
    clock.now = wakesAt! + 1
    const next = hostWith(at, asks).host
    await expect
      .poll(async () => await entriesOf(at), { interval: 2 })
      .toContainEqual(expect.objectContaining({ value: { number: 0, message: 'in time' } }))
    await inState(next, 'suspended')
    await next.cancel('a')
  })

  it('is told by a check of the program', async () => {
    const { at, clock } = clockedStore()
    const { host } = hostWith(at, asks)
    await host.submit(asks, {}, { id: 'a' })
    await inState(host, 'suspended')
    const checked: unknown[] = []
    for await (const each of host.check(asks)) checked.push(each)
    expect(checked).toMatchObject([{ goesOn: true, unused: 0, next: { kind: 'message' } }])
    expect(clock.now).toBe(Date.UTC(2026, 0, 1))
  })
})

const entriesOf = async (at: HostBackend): Promise<readonly JournalEntry[]> => await at.store.entries('a')
