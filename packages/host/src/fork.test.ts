import { XError } from '@x/kernel'
import { foldEvents } from '@x/kernel/events'
import { afterEach, describe, expect, it } from 'vitest'
import { askingChat, clerkChat } from './clerk.fake.ts'
import { findFaults, logOf } from './event-laws.fake.ts'
import { createHost, sqlite, type DefinedChat, type Host } from './index.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

const LARGE = { order: '17', euros: 25 }

/** A host with a worker. */
function working(...chats: readonly DefinedChat[]): Host {
  const host = createHost({ chats, at: sqlite(':memory:') })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  stops.push(async () => {
    stop.abort()
    await work
    await host.close()
  })
  return host
}

async function suspended(host: Host, id: string): Promise<void> {
  await expect.poll(async () => (await host.get(id))!.state).toBe('suspended')
}

async function decideAll(host: Host): Promise<void> {
  for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
}

describe('a fork', () => {
  it('goes on from a place of another chat, with keys of its own, and the other chat stays', async () => {
    const keys: string[] = []
    const asked: string[] = []
    const clerk = clerkChat({ asked: (id) => void asked.push(id), paid: (_, key) => void keys.push(key) })
    const host = working(clerk)
    await host.submit(clerk, LARGE, { id: 'a' })
    await suspended(host, 'a')
    let place: string | undefined
    for await (const { pending } of host.pending()) place = pending.id
    await decideAll(host)
    expect(await host.result('a')).toBe('done: 25 euros')
    const before = [await host.get('a'), await logOf(host, 'a')]
    asked.length = 0
    // The fork has what came before the payment, and asks for its own decision.
    for (let n = 0; n < 2; n++)
      expect(await host.fork('a', place!, { id: 'b' })).toMatchObject({ id: 'b', input: LARGE })
    await suspended(host, 'b')
    expect(asked).toEqual([])
    await decideAll(host)
    expect(await host.result('b')).toBe('done: 25 euros')
    expect(asked).toEqual(['b'])
    expect(keys.map((key) => key.split('/')[0])).toEqual(['a', 'b'])
    expect(keys.map((key) => key.split('/')[1])).toEqual([keys[0]!.split('/')[1], keys[0]!.split('/')[1]])
    expect([await host.get('a'), await logOf(host, 'a')]).toEqual(before)
    // Its log tells the whole chat.
    const events = await logOf(host, 'b')
    expect(findFaults(events, 'suspended')).toEqual([])
    expect(events.every(({ runId }) => runId === 'b')).toBe(true)
    expect(foldEvents(events).chats).toMatchObject([{ outcome: 'ok', summary: 'done: 25 euros' }])
    expect(foldEvents(events).toolCalls).toHaveLength(2)
  })

  it('refuses a place that is none, such as a number', async () => {
    const clerk = clerkChat()
    const host = working(clerk)
    await host.submit(clerk, { order: '17', euros: 5 }, { id: 'a' })
    for (const place of [5, 'x', undefined, {}])
      await expect(host.fork('a', place as never)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('of a failed chat goes on with a repaired program of another version', async () => {
    const keys: string[] = []
    const broken = clerkChat({
      asked(_, content) {
        if (content.endsWith('euros')) throw new XError('invalid-argument', 'the clerk cannot report')
      },
      paid: (_, key) => void keys.push(key),
    })
    const repaired = clerkChat({ paid: (_, key) => void keys.push(key) }, '2')
    const host = working(broken, repaired)
    await host.submit(broken, { order: '17', euros: 5 }, { id: 'a' })
    await expect(host.result('a')).rejects.toThrow('the clerk cannot report')
    const { id, version } = await host.fork('a', null, { chat: repaired })
    expect(version).toBe('2')
    expect(await host.result(id)).toBe('done: 5 euros')
    expect(keys).toHaveLength(1)
    expect((await host.get('a'))!.state).toBe('failed')
  })

  it('has the messages that were used before its place, and may have another input', async () => {
    const chat = askingChat()
    const host = working(chat)
    await host.submit(chat, {}, { id: 'a' })
    for (const message of ['first', 'second', 'third']) {
      await suspended(host, 'a')
      await host.send('a', message)
    }
    expect(await host.result('a')).toMatchObject({ first: 'first', last: 'third' })
    const last = await host.fork('a', '3', { id: 'b', input: { n: 1 } })
    expect(last.input).toEqual({ n: 1 })
    await suspended(host, 'b')
    await host.send('b', 'another')
    expect(await host.result('b')).toMatchObject({ first: 'first', last: 'another' })
    await expect(host.fork('a', '3', { id: 'b' })).rejects.toThrow('another input')
    await expect(host.fork('x', null)).rejects.toThrow('no chat `x`')
    await expect(host.fork('a', 'end')).rejects.toMatchObject({ code: 'invalid-argument' })
  })
})
