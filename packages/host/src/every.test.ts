import type { HostBackend } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { clockedStore, hostsOfTests, inState } from './clocked-host.fake.ts'
import { every, type Schedule } from './every.ts'
import { defineChat } from './index.ts'

const hostWith = hostsOfTests()

const report = defineChat<never, string>({
  name: 'report',
  version: '1',
  run: ({ id, input }) => `${id}: ${JSON.stringify(input)}`,
})

/** The chats that a schedule has begun, without its own. */
async function begun(at: HostBackend, schedule = 'daily'): Promise<readonly string[]> {
  const chats = await at.store.list({ limit: 1000, kind: { name: 'report', version: '1' } })
  return chats.map(({ id }) => id.slice(schedule.length + 1))
}

const AT_NOON = Date.UTC(2026, 2, 27, 12)

describe('a program that is run by a schedule', () => {
  it('is run at each time, with the input, the tags and the tenant of the schedule', async () => {
    const { at, clock } = clockedStore(AT_NOON)
    const daily = every('0 9 * * *', report)
    const { host } = hostWith(at, daily, report)
    await host.submit(daily, { to: 'ann' } as never, {
      id: 'daily',
      tenant: 'acme',
      tags: ['reports'],
      priority: 'low',
    })
    for (const day of ['28', '29', '30']) {
      const { wakesAt } = await inState(host, 'suspended', 'daily')
      expect(new Date(wakesAt!).toISOString()).toBe(`2026-03-${day}T09:00:00.000Z`)
      clock.now = wakesAt!
      const id = `daily/2026-03-${day}T09:00:00.000Z`
      await expect.poll(async () => (await host.get(id))?.state, { interval: 2 }).toBe('done')
      expect(await host.get(id)).toMatchObject({ tenant: 'acme', tags: ['reports'], priority: 'low' })
      expect(await host.result(id)).toBe(`${id}: {"to":"ann"}`)
      await expect.poll(async () => (await host.get('daily'))!.wakesAt, { interval: 2 }).toBeGreaterThan(wakesAt!)
    }
    await host.cancel('daily')
    clock.now += 10 * 86_400_000
    expect(await begun(at)).toHaveLength(3)
  })

  it('follows the clocks of its time zone', async () => {
    const { at, clock } = clockedStore(AT_NOON)
    const daily = every({ cron: '30 2 * * *', timeZone: 'Europe/Berlin' }, report)
    const { host } = hostWith(at, daily, report)
    await host.submit(daily, {} as never, { id: 'daily' })
    // At 2 o'clock on the 29th, clocks go to 3.
    for (const time of ['28T01:30', '29T01:00', '30T00:30']) {
      const isNext = async (): Promise<string> => new Date((await host.get('daily'))!.wakesAt ?? 0).toISOString()
      await expect.poll(isNext, { interval: 2 }).toBe(`2026-03-${time}:00.000Z`)
      clock.now = (await host.get('daily'))!.wakesAt!
    }
  })

  it.each<[Schedule['missed'], readonly string[]]>([
    [undefined, ['2026-03-30T09:00:00.000Z']],
    ['last', ['2026-03-30T09:00:00.000Z']],
    ['all', ['28', '29', '30'].map((day) => `2026-03-${day}T09:00:00.000Z`)],
    ['skip', []],
  ])('treats times that have passed without a worker as it says: %s', async (missed, expected) => {
    const { at, clock } = clockedStore(AT_NOON)
    const daily = every({ cron: '0 9 * * *', missed }, report)
    const first = hostWith(at, daily)
    await first.host.submit(daily, {} as never, { id: 'daily' })
    await inState(first.host, 'suspended', 'daily')
    await first.end()
    clock.now = Date.UTC(2026, 2, 30, 12)
    const { host } = hostWith(at, daily)
    await expect.poll(async () => (await host.get('daily'))!.wakesAt, { interval: 2 }).toBe(Date.UTC(2026, 2, 31, 9))
    expect(await begun(at)).toEqual(expected)
  })

  it('runs nothing twice when the clock is set back', async () => {
    const { at, clock } = clockedStore(AT_NOON)
    const daily = every('0 9 * * *', report)
    const { host } = hostWith(at, daily)
    await host.submit(daily, {} as never, { id: 'daily' })
    clock.now = (await inState(host, 'suspended', 'daily')).wakesAt!
    await expect.poll(() => begun(at), { interval: 2 }).toHaveLength(1)
    clock.now -= 5 * 86_400_000
    await expect.poll(async () => (await host.get('daily'))!.wakesAt, { interval: 2 }).toBe(Date.UTC(2026, 2, 29, 9))
    expect(await begun(at)).toHaveLength(1)
  })

  it('pauses and goes on by a message, and leaves out what was paused', async () => {
    const { at, clock } = clockedStore(AT_NOON)
    const daily = every('0 9 * * *', report)
    const { host } = hostWith(at, daily)
    await host.submit(daily, {} as never, { id: 'daily' })
    await inState(host, 'suspended', 'daily')
    await host.send('daily', 'pause')
    await expect.poll(async () => (await host.get('daily'))!.wakesAt, { interval: 2 }).toBe(null)
    await inState(host, 'suspended', 'daily')
    clock.now = Date.UTC(2026, 3, 10, 12)
    await host.send('daily', { what: 'else' })
    await host.send('daily', 'resume')
    await expect.poll(async () => (await host.get('daily'))!.wakesAt, { interval: 2 }).toBe(Date.UTC(2026, 3, 11, 9))
    expect(await begun(at)).toEqual([])
  })

  it.each<[Schedule['missed'], readonly string[]]>([
    ['last', ['2026-03-30T09:00:00.000Z']],
    ['all', ['28', '29', '30'].map((day) => `2026-03-${day}T09:00:00.000Z`)],
    ['skip', []],
  ])('treats times that have passed before it takes a pause as it says: %s', async (missed, expected) => {
    const { at, clock } = clockedStore(AT_NOON)
    const daily = every({ cron: '0 9 * * *', missed }, report)
    const first = hostWith(at, daily)
    await first.host.submit(daily, {} as never, { id: 'daily' })
    await inState(first.host, 'suspended', 'daily')
    await first.end()
    clock.now = Date.UTC(2026, 2, 30, 12)
    await first.host.send('daily', 'pause')
    const { host } = hostWith(at, daily)
    await inState(host, 'suspended', 'daily')
    await expect.poll(async () => (await host.get('daily'))!.wakesAt, { interval: 2 }).toBe(null)
    clock.now = Date.UTC(2026, 3, 10, 12)
    await host.send('daily', 'pause')
    await host.send('daily', 'resume')
    await expect.poll(async () => (await host.get('daily'))!.wakesAt, { interval: 2 }).toBe(Date.UTC(2026, 3, 11, 9))
    expect(await begun(at)).toEqual(expected)
  })

  it('follows another `when` behind the time for which it waits, or at once when it is told to go on', async () => {
    const { at } = clockedStore(AT_NOON)
    const monthly = every('0 9 1 * *', report)
    const { host, end } = hostWith(at, monthly)
    await host.submit(monthly, {} as never, { id: 'daily' })
    expect((await inState(host, 'suspended', 'daily')).wakesAt).toBe(Date.UTC(2026, 3, 1, 9))
    await end()
    const deployed = hostWith(at, every('0 9 * * *', report)).host
    expect((await deployed.get('daily'))!.wakesAt).toBe(Date.UTC(2026, 3, 1, 9))
    await deployed.send('daily', 'resume')
    await expect
      .poll(async () => (await deployed.get('daily'))!.wakesAt, { interval: 2 })
      .toBe(Date.UTC(2026, 2, 28, 9))
  })

  it('may have a schedule of its input, and ends where no time is left', async () => {
    const { at } = clockedStore(AT_NOON)
    const own = every((input: { cron: string }) => ({ cron: input.cron }), report as never)
    const { host } = hostWith(at, own)
    await host.submit(own, { cron: '0 0 30 2 *' }, { id: 'never' })
    expect(await host.result('never')).toBe(null)
    await host.submit(own, { cron: '0 0 1 1 *' }, { id: 'yearly' })
    expect((await inState(host, 'suspended', 'yearly')).wakesAt).toBe(Date.UTC(2027, 0, 1))
    await expect(host.submit(own, { cron: 'soon' })).rejects.toThrow('`soon` is no cron of five fields')
  })

  it.each([
    ['61 * * * *', 'no cron of five fields: Invalid value for minute: 61'],
    ['* * * * * *', 'no cron of five fields'],
    [{ cron: '0 9 * * *', timeZone: 'Mars/Olympus' }, '`Mars/Olympus` is no time zone'],
    [{}, 'it has no `cron`'],
    [{ cron: '0 9 * * *', timezone: 'UTC' }, 'timezone'],
    [{ cron: '0 9 * * *', missed: 'never' }, '`missed`'],
  ])('is refused with a wrong schedule: %j', (when, problem) => {
    expect(() => every(when as never, report)).toThrow(problem)
  })
})

describe('a chat that a program submits', () => {
  it('is submitted once, whatever happens to its program', async () => {
    const { at } = clockedStore(AT_NOON)
    let starts = 0
    const boss = defineChat<never>({
      name: 'boss',
      version: '1',
      async run({ submit, receive }) {
        starts++
        const ids = [
          await submit(report, { n: 1 } as never),
          await submit(report, {} as never, { id: 'own', tags: ['x'] }),
        ]
        return [ids, await receive()]
      },
    })
    const { host, end } = hostWith(at, boss, report)
    await host.submit(boss, {} as never, { id: 'a', tenant: 'acme' })
    await inState(host, 'suspended')
    for (const id of ['a/chat-1', 'own']) await inState(host, 'done', id)
    await host.delete('own')
    // Another worker starts the program again.
    await end()
    hostWith(at, boss, report)
    await host.send('a', 'go')
    expect(await host.result('a')).toEqual([['a/chat-1', 'own'], 'go'])
    expect(starts).toBe(2)
    expect(await host.get('own')).toBe(null)
    expect(await host.get('a/chat-1')).toMatchObject({ tenant: 'acme', tags: [] })
  })

  it('may submit the next one without end, though each has the identifier of the one before in its own', async () => {
    const { at } = clockedStore(AT_NOON)
    const chain = defineChat({
      name: 'chain',
      version: '1',
      async run({ input, submit }): Promise<unknown> {
        const { left } = input as { left: number }
        return left === 0 ? null : await submit(chain, { left: left - 1 })
      },
    })
    const { host } = hostWith(at, chain)
    await host.submit(chain, { left: 4 }, { id: 'x'.repeat(186) })
    const ids: string[] = []
    for (let id: unknown = 'x'.repeat(186); id !== null; id = await host.result(id as string)) ids.push(id as string)
    expect(ids.slice(0, 3)).toEqual(['', '/chat-1', '/chat-1/chat-1'].map((end) => 'x'.repeat(186) + end))
    expect(ids[3]).toMatch(/^chat-[\w-]{27}$/u)
    expect(ids[4]).toBe(`${ids[3]}/chat-1`)
  })

  it('fails its program with a wrong input or option', async () => {
    const { at } = clockedStore(AT_NOON)
    const boss = defineChat<never>({
      name: 'boss',
      version: '1',
      run: async ({ submit }) => await submit(report, {} as never, { priority: 'urgent' as never }),
    })
    const { host } = hostWith(at, boss)
    await host.submit(boss, {} as never, { id: 'a' })
    await expect(host.result('a')).rejects.toThrow('`priority`')
  })
})
