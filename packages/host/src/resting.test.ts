import { createAgent, tool } from '@x/agent'
import type { ChatMessage, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { hostsOfTests } from './clocked-host.fake.ts'
import { findFaults, logOf } from './event-laws.fake.ts'
import { defineChat, type DefinedChat, type Host, sqlite } from './index.ts'

const workOn = hostsOfTests()

const suspended = async (host: Host, turn: number, id = 'a'): Promise<void> => {
  const isThere = async (): Promise<boolean> => {
    const chat = await host.get(id)
    return chat!.state === 'suspended' && chat!.turn >= turn
  }
  await expect.poll(isThere, { interval: 2, timeout: 5000 }).toBe(true)
}

/** Deeds of a program in this process. */
interface Counts {
  starts: number
  stops: number
  readonly asked: string[]
}

/** A conversation of a number of messages, and what it does. */
function conversation(messages: number): { chat: DefinedChat<Record<string, unknown>>; counts: Counts } {
  const counts: Counts = { starts: 0, stops: 0, asked: [] }
  const model = functionModel(({ messages: seen }) => {
    counts.asked.push(seen.map(({ content }) => JSON.stringify(content)).join())
    return `answer ${counts.asked.length}`
  })
  const chat = defineChat({
    name: 'talk',
    version: '1',
    run: async ({ receive, run }) => {
      counts.starts++
      let all: readonly ChatMessage[] = []
      run.signal!.addEventListener('abort', () => void counts.stops++)
      for (let n = 0; n < messages; n++) {
        const question = { role: 'user', content: (await receive()) as string } as const
        all = (await createAgent({ name: 'clerk', model }).run([...all, question], { run })).messages
      }
      return all.map(({ content }) => content)
    },
  })
  return { chat, counts }
}

const WHOLE = ['one', 'answer 1', 'two', 'answer 2', 'three', 'answer 3']

/** The log of a chat without what differs from run to run. */
const plainLog = (log: readonly XEvent[]): unknown[] =>
  log.map((event) => ({ ...event, time: 0, ...('ms' in event && { ms: 0 }) }))

describe('a program that waits for a message', () => {
  it('stays in the memory of its worker, and goes on there', async () => {
    const { chat, counts } = conversation(3)
    const { host } = workOn(sqlite(':memory:'), chat)
    await host.submit(chat, {}, { id: 'a' })
    for (const [turn, message] of ['one', 'two', 'three'].entries()) {
      await suspended(host, turn)
      await host.send('a', message)
    }
    expect(await host.result('a')).toEqual(WHOLE)
    expect(counts).toMatchObject({ starts: 1, stops: 0 })
    expect(findFaults(await logOf(host, 'a'), 'suspended')).toEqual([])
  })

  it('leaves the same journal and log as one that starts again at each message', async () => {
    const logs: unknown[] = []
    const journals: unknown[] = []
    for (const isAgain of [false, true]) {
      const { chat, counts } = conversation(3)
      const at = sqlite(':memory:')
      let worker = workOn(at, chat)
      await worker.host.submit(chat, {}, { id: 'a' })
      for (const [turn, message] of ['one', 'two', 'three'].entries()) {
        await suspended(worker.host, turn)
        if (isAgain) {
          await worker.end()
          worker = workOn(at, chat)
        }
        await worker.host.send('a', message)
      }
      expect(await worker.host.result('a')).toEqual(WHOLE)
      expect(counts.starts).toBe(isAgain ? 4 : 1)
      expect(counts.stops).toBe(isAgain ? 3 : 0)
      logs.push(plainLog(await logOf(worker.host, 'a')))
      journals.push((await at.store.entries('a')).map((entry) => ({ ...entry, checksum: '', name: '' })))
    }
    expect(logs[1]).toEqual(logs[0])
    expect(journals[1]).toEqual(journals[0])
  })

  it('starts again from its journal if another worker has gone on with the chat', async () => {
    const { chat, counts } = conversation(3)
    const at = sqlite(':memory:')
    const first = workOn(at, chat)
    await first.host.submit(chat, {}, { id: 'a' })
    await suspended(first.host, 0)
    // The first worker cannot claim: the other one takes the message.
    const claim = at.store.claim.bind(at.store)
    let isAway = true
    Object.assign(at.store, {
      claim: async (...args: Parameters<typeof claim>) => (isAway ? null : await claim(...args)),
    })
    await first.host.send('a', 'one')
    const chatOf = await claim('a', 30)
    expect(chatOf!.messages).toEqual(['one'])
    await at.store.release(chatOf!)
    isAway = false
    await at.queue.add((await at.store.get('a'))!)
    await suspended(first.host, 2)
    expect(counts).toMatchObject({ starts: 2, stops: 1 })
    await first.host.send('a', 'two')
    await first.host.send('a', 'three')
    expect(await first.host.result('a')).toEqual(WHOLE)
    expect(counts.starts).toBe(2)
  })

  it('is stopped when its chat is cancelled, and when its worker ends', async () => {
    const { chat, counts } = conversation(3)
    const { host, end } = workOn(sqlite(':memory:'), chat)
    for (const id of ['a', 'b']) {
      await host.submit(chat, {}, { id })
      await suspended(host, 0, id)
    }
    await host.cancel('a', 'not needed')
    await expect.poll(() => counts.stops, { interval: 2 }).toBe(1)
    await end()
    await expect.poll(() => counts.stops, { interval: 2 }).toBe(2)
  })

  it('makes room after a hundred of its kind, the oldest first', async () => {
    const { chat, counts } = conversation(1)
    const { host } = workOn(sqlite(':memory:'), chat)
    for (let n = 0; n <= 101; n++) {
      await host.submit(chat, {}, { id: `chat-${n}` })
      await suspended(host, 0, `chat-${n}`)
    }
    await expect.poll(() => counts.stops, { interval: 2 }).toBe(2)
    await host.send('chat-0', 'one')
    expect(await host.result('chat-0')).toEqual(['one', 'answer 1'])
    await host.send('chat-101', 'one')
    await host.result('chat-101')
    expect(counts.starts).toBe(103)
  })

  it('starts again when it holds a million characters of its journal', async () => {
    let starts = 0
    const chat = defineChat({
      name: 'large',
      version: '1',
      state: { texts: '' },
      async run({ receive, checkpoint }) {
        starts++
        for (;;) {
          await receive()
          await checkpoint({ texts: 'x'.repeat(400_000) })
        }
      },
    })
    const { host } = workOn(sqlite(':memory:'), chat)
    await host.submit(chat, {}, { id: 'a' })
    for (let turn = 0; turn < 5; turn++) {
      await suspended(host, turn)
      await host.send('a', 'on')
    }
    await suspended(host, 5)
    expect(starts).toBe(2)
  })

  it('starts again if it has waited for something else, too', async () => {
    let starts = 0
    const pay = tool({ name: 'pay', description: 'Pays.', needsApproval: true, execute: () => 'paid' })
    const calls = [{ id: 'c', type: 'function' as const, function: { name: 'pay', arguments: '{}' } }]
    const model = functionModel(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? 'done' : { content: null, tool_calls: calls },
    )
    const chat = defineChat({
      name: 'both',
      version: '1',
      async run({ receive, run }) {
        starts++
        const agent = createAgent({ name: 'clerk', model })
        const [one, two] = await Promise.all([receive(), receive()])
        return [one, two, (await agent.run('pay', { run, tools: pay })).text]
      },
    })
    const { host } = workOn(sqlite(':memory:'), chat)
    await host.submit(chat, {}, { id: 'a' })
    await suspended(host, 0)
    await host.send('a', 'one')
    await suspended(host, 1)
    await host.send('a', 'two')
    await suspended(host, 2)
    // Two messages were waited for at first, then one, and now a decision.
    expect(starts).toBe(2)
    for await (const { pending } of host.pending()) await host.decide('a', pending.id, { allow: true })
    expect(await host.result('a')).toEqual(['one', 'two', 'done'])
    expect(starts).toBe(3)
  })
})
