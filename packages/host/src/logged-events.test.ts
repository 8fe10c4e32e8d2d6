import { AssistantAgent } from '@x/agent'
import type { ChatResult, HostedChat, XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { clerkChat } from './clerk.fake.ts'
import { comparable, findFaults, foldedResults, logOf } from './event-laws.fake.ts'
import { createHost, defineChat, sqlite, type DefinedChat, type Host, type HostOptions } from './index.ts'
import { expectedOf, messagesOf, randomChat, samplePrograms, type Part } from './random-program.fake.ts'

const SEED = Number(process.env['SEED'] ?? 31)

/** Gives a chat what it waits for, one thing at a time, until it has ended. `between` is called whenever it is asked again. */
async function answerAll(host: Host, id: string, parts: readonly Part[], between: () => Promise<void>): Promise<void> {
  let sent = 0
  for (;;) {
    const { outcome, state } = (await host.get(id)) as HostedChat
    if (outcome) return
    await between()
    if (state !== 'suspended') continue
    const open = []
    for await (const { chat, pending } of host.pending()) if (chat === id) open.push(pending.id)
    // A message wakes a chat that waits for a decision, too.
    if (sent < messagesOf(parts)) await host.send(id, `${sent++}`)
    else if (open[0] !== undefined) await host.decide(id, open[0], { allow: true }, { by: 'ann' })
  }
}

const nextTurn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** A host of a chat, with a worker until the end of the test. */
function working(chat: DefinedChat, options: Partial<HostOptions> = {}): { host: Host; restart: () => Promise<void> } {
  const host = createHost({ chats: [chat], at: sqlite(':memory:'), ...options })
  let stop = new AbortController()
  let work = host.work({ signal: stop.signal })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(async () => {
    await end()
    await host.close()
  })
  const restart = async (): Promise<void> => {
    await end()
    stop = new AbortController()
    work = host.work({ signal: stop.signal })
  }
  return { host, restart }
}

const untilSuspended = async (host: Host, id: string): Promise<void> =>
  await expect.poll(async () => (await host.get(id))!.state).toBe('suspended')

/** The outcomes of the starts and ends of some spans, in order; `resumed` for a start that is. */
const courseOf = (events: readonly XEvent[], ...kinds: readonly string[]): string[] =>
  events.flatMap((event) => {
    if (!kinds.some((kind) => event.type === `${kind}Start` || event.type === `${kind}End`)) return []
    if ('outcome' in event) return [`${event.type} ${event.outcome}`]
    return ['resumed' in event ? `${event.type} resumed` : event.type]
  })

/** A chat that answers messages until it is told to stop. */
const talk = (answer: (text: string) => string | Promise<string>): DefinedChat<Record<string, unknown>> =>
  defineChat({
    name: 'talk',
    version: '1',
    async run({ receive, run }) {
      for (let message = await receive(); message !== 'stop'; message = await receive()) {
        const llmConfig = functionModel(({ messages }) => answer(contentText(messages.at(-1)!.content)))
        const agent = new AssistantAgent({ name: 'talker', llmConfig })
        await agent.run(String(message), { maxTurns: 1, userInput: false, run })
      }
      return 'stopped'
    },
  })

describe('the log of a chat', () => {
  it('A kept answer is not told again.', async () => {
    const chat = talk((text) => `Answer to ${text}`)
    const { host } = working(chat)
    await host.submit(chat, {}, { id: 'a' })
    const messages = ['m0', 'm1', 'm2', 'stop']
    for (const message of messages) {
      await untilSuspended(host, 'a')
      await host.send('a', message)
    }
    await host.result('a')
    const events = await logOf(host, 'a')
    expect(findFaults(events, 'suspended')).toEqual([])
    const chats = ['chatStart', 'modelCallStart', 'modelCallEnd ok', 'chatEnd ok']
    expect(courseOf(events, 'chat', 'modelCall')).toEqual([...chats, ...chats, ...chats])
    const texts = events.flatMap((event) => (event.type === 'receivedMessage' ? [event.message.content] : []))
    expect(texts).toEqual(['m0', 'Answer to m0', 'm1', 'Answer to m1', 'm2', 'Answer to m2'])
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b))
  })

  it('Every start has exactly one end in each process that it lived in.', async () => {
    const chat = clerkChat()
    const { host } = working(chat)
    await host.submit(chat, { order: '17', euros: 25 }, { id: 'a' })
    await untilSuspended(host, 'a')
    for await (const { pending } of host.pending()) await host.decide('a', pending.id, { allow: true })
    await host.result('a')
    const course = courseOf(await logOf(host, 'a'), 'chat', 'tool')
    expect(course).toEqual([
      ...['chatStart', 'toolStart', 'toolEnd ok', 'toolStart', 'toolEnd suspended', 'chatEnd suspended'],
      ...['chatStart resumed', 'toolStart resumed', 'toolEnd ok', 'chatEnd ok'],
    ])
  })

  it('A span that goes on in another process starts there again, with `resumed: true` under the same `id`.', async () => {
    const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const chat = talk(async (text) => {
      asked.resolve()
      await go.promise
      return `Answer to ${text}`
    })
    const { host, restart } = working(chat)
    await host.submit(chat, {}, { id: 'a' })
    await host.send('a', 'Hello.')
    await asked.promise
    await restart()
    go.resolve()
    await untilSuspended(host, 'a')
    await host.send('a', 'stop')
    await host.result('a')
    const events = await logOf(host, 'a')
    expect(courseOf(events, 'chat', 'reply', 'modelCall')).toEqual([
      ...['chatStart', 'replyStart', 'modelCallStart'],
      ...['modelCallEnd suspended', 'replyEnd suspended', 'chatEnd suspended'],
      ...['chatStart resumed', 'replyStart resumed', 'modelCallStart resumed'],
      ...['modelCallEnd ok', 'replyEnd ok', 'chatEnd ok'],
    ])
    const ids = events.flatMap((event) => (event.type === 'modelCallStart' ? [event.id] : []))
    expect(new Set(ids).size).toBe(1)
    expect(events.filter(({ type }) => type === 'receivedMessage')).toHaveLength(2)
  })

  it('has an end for what a program leaves running when it waits for a decision', async () => {
    const clerk = clerkChat() as unknown as DefinedChat<Record<string, unknown>>
    const go = Promise.withResolvers<void>()
    const chat = defineChat({
      name: 'both',
      version: '1',
      async run(its) {
        const slow = new AssistantAgent({
          name: 'slow',
          llmConfig: functionModel(async () => {
            await go.promise
            return 'at last'
          }),
        })
        const beside = slow.run('Go.', { run: its.run })
        const [{ text }] = await Promise.all([beside, clerk.run({ ...its, input: { order: '17', euros: 25 } })])
        return text
      },
    })
    const { host } = working(chat)
    await host.submit(chat, {}, { id: 'a' })
    await untilSuspended(host, 'a')
    go.resolve()
    for await (const { pending } of host.pending()) await host.decide('a', pending.id, { allow: true })
    expect(await host.result('a')).toBe('at last')
    const events = await logOf(host, 'a')
    expect(findFaults(events, 'suspended')).toEqual([])
    const slow = events.filter(({ chatId }) => chatId === '1')
    expect(courseOf(slow, 'chat', 'modelCall')).toEqual([
      ...['chatStart', 'modelCallStart', 'modelCallEnd suspended', 'chatEnd suspended'],
      ...['chatStart resumed', 'modelCallStart resumed', 'modelCallEnd ok', 'chatEnd ok'],
    ])
  })

  it.each([
    ['by the option', { allow: true }, { by: 'ann' }],
    ['in the decision', { allow: true, by: 'ann' }, {}],
    ['in both, where the option counts', { allow: true, by: 'bob' }, { by: 'ann' }],
  ] as const)('says who decided on a call, given %s', async (_, decision, options) => {
    const chat = clerkChat()
    const { host } = working(chat)
    await host.submit(chat, { order: '17', euros: 25 }, { id: 'a' })
    await untilSuspended(host, 'a')
    for await (const { pending } of host.pending()) await host.decide('a', pending.id, decision, options)
    await host.result('a')
    const approvals = (await logOf(host, 'a')).flatMap((event) =>
      event.type === 'toolEnd' && event.outcome === 'ok' ? [event.approval] : [],
    )
    expect(approvals).toEqual([null, { allow: true, reason: null, by: 'ann' }])
    expect(await host.decisions('a')).toMatchObject([{ by: 'ann' }])
  })

  it('has what `events` of the host lets through, and the chat keeps everything', async () => {
    const chat = clerkChat()
    const redact = (event: XEvent): XEvent | null => (event.type === 'executeFunction' ? null : event)
    const { host } = working(chat, { events: { content: false, redact } })
    await host.submit(chat, { order: 'secret order', euros: 5 }, { id: 'a' })
    expect(await host.result('a')).toBe('done: 5 euros')
    const events = await logOf(host, 'a')
    expect(JSON.stringify(events)).not.toMatch(/secret|broken|euros/u)
    expect(courseOf(events, 'chat', 'tool')).toEqual([
      ...['chatStart', 'toolStart', 'toolEnd ok', 'toolStart', 'toolEnd ok', 'chatEnd ok'],
    ])
    expect(events.some(({ type }) => type === 'executeFunction')).toBe(false)
  })
})

describe('the log of a random program', () => {
  const programs = samplePrograms(30, SEED)

  it.each(programs.map((parts, n) => [n, parts] as const))('that waits, program %i', async (n, parts) => {
    const ended: ChatResult[] = []
    const chat = randomChat(async () => {}, ended)
    const host = createHost({ chats: [chat], at: sqlite(':memory:') })
    const id = `chat-${n}`
    await host.submit(chat, { parts }, { id })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    await answerAll(host, id, parts, nextTurn)
    expect(await host.result(id)).toEqual(expectedOf(parts))
    const events = await logOf(host, id)
    expect(findFaults(events, 'suspended')).toEqual([])
    expect(foldedResults(events)).toEqual(comparable(ended))
    stop.abort()
    await work
    await host.close()
  })

  it.each(programs.map((parts, n) => [n, parts] as const))('whose workers end, program %i', async (n, parts) => {
    const random = fc.sample(fc.integer({ min: 0, max: 12 }), { numRuns: 1000, seed: SEED + n }).values()
    const ended: ChatResult[] = []
    const chat = randomChat(nextTurn, ended)
    const host = createHost({ chats: [chat], at: sqlite(':memory:') })
    const id = `chat-${n}`
    await host.submit(chat, { parts }, { id })
    let stop = new AbortController()
    let work = host.work({ signal: stop.signal })
    await answerAll(host, id, parts, async () => {
      for (let turns = random.next().value!; turns > 0; turns--) await nextTurn()
      stop.abort()
      await work
      stop = new AbortController()
      work = host.work({ signal: stop.signal })
      for (let turns = random.next().value! + 3; turns > 0; turns--) await nextTurn()
    })
    expect(await host.result(id)).toEqual(expectedOf(parts))
    const events = await logOf(host, id)
    expect(findFaults(events, 'released')).toEqual([])
    expect(foldedResults(events)).toEqual(comparable(ended))
    stop.abort()
    await work
    await host.close()
  })
})
