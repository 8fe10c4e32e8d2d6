import { AssistantAgent } from '@x/agent'
import type { HostBackend, JournalEntry, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { failCalls } from '@x/testing/hosting'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createHost, defineChat, sqlite, type DefinedChat, type Host } from './index.ts'
import { Messages, steeringMessage } from './run/messages.ts'
import { steeredChat } from './steered.fake.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

const hostAt = (at: HostBackend, ...chats: readonly DefinedChat[]): Host =>
  createHost({ chats, at: { ...at, close() {} } })

function works(host: Host, lease = 30): () => Promise<void> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, lease, onError: () => {} })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return end
}

const stateIs = async (host: Host, state: string, id = 'a'): Promise<void> => {
  await expect.poll(async () => (await host.get(id))!.state, { interval: 2, timeout: 10_000 }).toBe(state)
}

/** A moment at which a program waits until the test lets it go on. */
function gate(): { reached: Promise<void>; open: () => void; pass: () => Promise<void> } {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const pass = async (): Promise<void> => {
    reached.resolve()
    await opened.promise
  }
  return { reached: reached.promise, open: opened.resolve, pass }
}

const eventsOf = async (host: Host): Promise<XEvent[]> => {
  const events: XEvent[] = []
  for await (const { event } of host.events('a')) events.push(event)
  return events
}

describe('a message to a hosted run', () => {
  it('reaches the worker that runs it from another process, behind the results of calls', async () => {
    const at = sqlite(':memory:')
    const [asked, first] = [[] as (readonly string[])[], gate()]
    const chat = steeredChat({ asked: (messages) => asked.push(messages), looks: first.pass })
    const [worker, other] = [hostAt(at, chat), hostAt(at, chat)]
    works(worker)
    await other.submit(chat, null as never, { id: 'a' })
    await other.send('a', '1')
    await first.reached
    await other.steer('a', 'Be quick')
    await other.steer('a', 'Be quick', { id: 'once' })
    await other.steer('a', 'Be quick', { id: 'once' })
    first.open()
    await stateIs(other, 'suspended')
    expect(asked).toEqual([
      ['user: 1'],
      ['user: 1', 'assistant: call', 'tool: seen', 'user: Be quick', 'user: Be quick'],
    ])
    await other.send('a', 'end')
    expect(await other.result('a')).toEqual([...asked[1]!, 'assistant: done 1'])
    const told = (await eventsOf(other)).filter(({ type }) => type === 'steeringMessage')
    expect(told).toMatchObject([{ agent: 'helper', text: 'Be quick' }, { text: 'Be quick' }])
    await expect(other.steer('a', 'Still there?')).rejects.toThrow('it is done')
  })

  it('waits for the next question, and is none of the messages that `receive` returns', async () => {
    const at = sqlite(':memory:')
    const asked: (readonly string[])[] = []
    const chat = steeredChat({ asked: (messages) => asked.push(messages) })
    const host = hostAt(at, chat)
    const stop = works(host)
    await host.submit(chat, null as never, { id: 'a' })
    await stateIs(host, 'suspended')
    await host.steer('a', 'In French')
    await stateIs(host, 'suspended')
    expect(asked).toEqual([])
    await host.send('a', '0')
    await expect.poll(() => asked).toEqual([['user: 0', 'user: In French']])
    await stateIs(host, 'suspended')
    // Behind the last question of one message, and with another worker for the next one.
    await stop()
    await host.steer('a', 'Shorter')
    await host.send('a', '0')
    works(host)
    await expect.poll(() => asked[1]).toEqual(['user: 0', 'user: Shorter'])
    await host.send('a', 'end')
    await host.result('a')
  })

  it('is taken once, whatever was checkpointed between', async () => {
    const at = sqlite(':memory:')
    const asked: string[] = []
    const llmConfig = functionModel(({ messages }) => {
      asked.push(messages.flatMap(({ role, content }) => (role === 'user' ? [content as string] : [])).join(', '))
      return 'ok'
    })
    // Asks a model for some messages only, so that messages to the run stay behind those that were received.
    const chat = defineChat({
      name: 'some',
      version: '1',
      state: 0,
      async onMessage(count, message, run, { end }) {
        if (message === 'end') return end(count)
        if (message === 'ask') await new AssistantAgent({ name: 'helper', llmConfig }).run('Go', { run })
        return count + 1
      },
    }) as DefinedChat
    const host = hostAt(at, chat)
    await host.submit(chat, null as never, { id: 'a' })
    const inTurn = async (...messages: readonly (string | { steer: string })[]): Promise<void> => {
      for (const each of messages) {
        if (typeof each === 'string') await host.send('a', each)
        else await host.steer('a', each.steer)
      }
      const stop = works(host)
      await expect.poll(async () => (await host.get('a'))!.state, { interval: 2 }).toMatch(/suspended|done/u)
      await stop()
    }
    await inTurn('skip', { steer: 'one' }, 'skip', 'skip')
    await inTurn('skip')
    await inTurn({ steer: 'two' }, 'ask', 'skip', { steer: 'three' })
    await inTurn('ask')
    await inTurn('end', { steer: 'late' })
    expect(asked).toEqual(['Go, one, two, three', 'Go'])
    expect(await host.result('a')).toBe(7)
  })

  it('is refused if it says nothing, and among the messages of `send`', async () => {
    const chat = steeredChat()
    const host = hostAt(sqlite(':memory:'), chat)
    await host.submit(chat, null as never, { id: 'a' })
    await expect(host.steer('a', ' ')).rejects.toThrow('give a text that is not empty')
    await expect(host.steer('none', 'Hi')).rejects.toThrow('none')
    await expect(host.send('a', { $steer: 'Hi' })).rejects.toThrow('call `host.steer(id, text)`')
    await host.send('a', { $steer: 3 })
  })

  it('goes with a fork that has taken it', async () => {
    const at = sqlite(':memory:')
    const first = gate()
    const asked: (readonly string[])[] = []
    const chat = steeredChat({ asked: (messages) => asked.push(messages), looks: first.pass })
    const host = hostAt(at, chat)
    works(host)
    await host.submit(chat, null as never, { id: 'a' })
    await host.send('a', '1')
    await first.reached
    await host.steer('a', 'Be quick')
    first.open()
    await stateIs(host, 'suspended')
    await host.fork('a', null, { id: 'b' })
    await stateIs(host, 'suspended', 'b')
    await host.send('b', 'end')
    expect(await host.result('b')).toContain('user: Be quick')
    expect(asked).toHaveLength(2)
  })
})

describe('a checkpoint', () => {
  const messages = ['a', steeringMessage('one'), 'b', steeringMessage('two')]
  const chat = { id: 'a', heard: 4, entries: [] as readonly JournalEntry[] }
  const TURN = { onWait: () => {} }
  const begins = (kept: object): readonly JournalEntry[] => [{ seq: 0, place: '1', kind: 'checkpoint', value: kept }]

  it('keeps which messages to the run wait, and which were taken before others were received', async () => {
    const fresh = new Messages({ ...chat, messages }, TURN)
    expect(fresh.kept).toEqual({ messages: 0 })
    expect(await fresh.steering.take()).toEqual([
      { text: 'one', number: 1 },
      { text: 'two', number: 3 },
    ])
    expect(fresh.kept).toEqual({ messages: 0, steering: { waiting: [], taken: [1, 3] } })
    const again = new Messages({ ...chat, messages, entries: begins(fresh.kept) }, TURN)
    expect([again.steering.isEmpty, await again.steering.take()]).toEqual([true, []])
  })

  it('lets those wait that were sent before a message that was received', async () => {
    const fresh = new Messages({ ...chat, messages }, TURN)
    const input = async (): Promise<unknown> => await fresh.io.input('', { run: undefined })
    expect([await input(), await input()]).toEqual(['a', 'b'])
    const { kept } = fresh
    expect(kept).toMatchObject({ messages: 4, steering: { waiting: [{ text: 'one' }, { text: 'two' }], taken: [] } })
    const later = { heard: () => 6, read: (without: number) => (without === 4 ? ['"c"', '{"$steer":"three"}'] : []) }
    const again = new Messages({ ...chat, messages: [], entries: begins(kept) }, { ...TURN, later })
    expect((await again.steering.take()).map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    expect([again.heard, again.kept]).toEqual([6, { messages: 4, steering: { waiting: [], taken: [5] } }])
  })
})

describe('a worker that dies', () => {
  it.each(['before', 'after'] as const)('leaves each message at its place, %s it has kept an answer', async (when) => {
    const survive = async (moment: number): Promise<void> => {
      const at = sqlite(':memory:')
      const asked: (readonly string[])[] = []
      const chat = steeredChat({ asked: (messages) => asked.push(messages) })
      const host = hostAt(at, chat)
      await host.submit(chat, null as never, { id: 'a' })
      await host.steer('a', 'first')
      await host.send('a', '2')
      let calls = 0
      const failing = failCalls(at, (name) => {
        if (name !== 'store.append' || ++calls !== moment) return undefined
        void host.steer('a', 'second')
        return when
      })
      works(hostAt(failing, chat), 0.3)
      await expect.poll(() => calls >= moment, { interval: 2 }).toBe(true)
      await host.send('a', '1')
      await host.send('a', 'end')
      const value = (await host.result('a')) as string[]
      expect(value.filter((each) => /first|second/u.test(each))).toEqual(['user: first', 'user: second'])
      expect(value.slice(0, 2)).toEqual(['user: 2', 'user: first'])
      // What is asked again is asked the same, or with a message that has come since.
      const byLength = new Map(asked.map((messages) => [`${messages[0]} ${messages.length}`, messages]))
      for (const messages of asked) expect(messages).toEqual(byLength.get(`${messages[0]} ${messages.length}`))
    }
    await Promise.all(Array.from({ length: 9 }, async (_, index) => await survive(index + 1)))
  })

  it('loses no message and takes none twice, whatever fails', async () => {
    const step = fc.oneof(fc.constantFrom('0', '1', '2'), fc.constant('steer'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.array(fc.nat(12), { maxLength: 4 }),
        async (steps, faults) => {
          const at = sqlite(':memory:')
          let calls = 0
          const failing = failCalls(at, (name) =>
            name === 'store.append' && faults.includes(calls++) ? (calls % 2 === 0 ? 'before' : 'after') : undefined,
          )
          const chat = steeredChat()
          const host = hostAt(at, chat)
          await host.submit(chat, null as never, { id: 'a' })
          const stop = works(hostAt(failing, chat), 0.5)
          for (const [index, each] of steps.entries()) {
            if (each === 'steer') await host.steer('a', `steer ${index}`)
            else await host.send('a', each)
          }
          await host.send('a', '0')
          await host.send('a', 'end')
          const value = (await host.result('a')) as string[]
          await stop()
          const expected = steps.flatMap((each, index) => (each === 'steer' ? [`user: steer ${index}`] : []))
          expect(value.filter((each) => each.startsWith('user: steer'))).toEqual(expected)
        },
      ),
      { numRuns: 5 },
    )
  }, 60_000)
})
