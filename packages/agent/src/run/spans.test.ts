import type { Io, ToolContext, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { build, chatPlan, type ChatPlan, type World } from '../durability/living-program.fake.ts'
import { ChatJournal } from '../index.ts'
import { agent, says, toolChat } from './tool-chat.fake.ts'

type Start = Extract<XEvent, { type: `${string}Start` }>
type End = Extract<XEvent, { type: `${string}End` }>

const isStart = (event: XEvent): event is Start => event.type.endsWith('Start')
const isEnd = (event: XEvent): event is End => event.type.endsWith('End')

const newWorld = (): World => ({ done: [], failed: new Set() })

/**
 * Every event has the envelope, times and numbers grow, and every start has one end of the same kind, inside a parent that
 * is open.
 */
function checkSpans(events: readonly XEvent[]): void {
  const open = new Map<string, Start>()
  const begun = new Set<string>()
  let last = { seq: -1, time: 0 }
  for (const event of events) {
    expect(event.seq).toBeGreaterThan(last.seq)
    expect(event.time).toBeGreaterThanOrEqual(last.time)
    expect(event.runId).toBe(events[0]!.runId)
    last = event
    if (isEnd(event)) {
      const start = open.get(event.id)
      expect(start?.type).toBe(event.type.replace(/End$/u, 'Start'))
      expect(event).toMatchObject({ parentId: start!.parentId, agent: start!.agent, chatId: start!.chatId })
      expect(event.error === null).toBe(event.outcome !== 'error')
      expect(event.ms).toBe(event.time - start!.time)
      expect([...open.values()].filter(({ parentId }) => parentId === event.id)).toEqual([])
      open.delete(event.id)
      continue
    }
    if (event.parentId !== null) expect([...open.keys()]).toContain(event.parentId)
    if (!isStart(event)) continue
    expect(begun).not.toContain(event.id)
    begun.add(event.id)
    open.set(event.id, event)
  }
  expect([...open.keys()]).toEqual([])
}

/** Runs a program once; `stopAt` aborts it at an event, `failAt` makes its listener throw. */
async function eventsOf(
  plan: ChatPlan,
  { stopAt, failAt }: { stopAt?: number; failAt?: number },
): Promise<readonly XEvent[]> {
  const { from, to, options } = build(plan, newWorld())
  const controller = new AbortController()
  const events: XEvent[] = []
  const emit = (event: XEvent): void => {
    events.push(event)
    if (events.length === failAt) throw new Error('the listener fails')
    if (events.length === stopAt) controller.abort()
  }
  await from.initiateChat(to, { ...options, emit, signal: controller.signal }).catch(() => {})
  return events
}

describe('the starts and ends of a random program', () => {
  it('are in pairs and inside each other, on errors and aborts too', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, fc.nat(60), async (plan, stopAt) => {
        checkSpans(await eventsOf(plan, {}))
        checkSpans(await eventsOf(plan, { stopAt }))
      }),
      { numRuns: 40 },
    )
  })

  it('are not sent to a listener that has failed', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, fc.integer({ min: 1, max: 30 }), async (plan, failAt) => {
        const whole = await eventsOf(plan, {})
        const events = await eventsOf(plan, { failAt })
        expect(events).toHaveLength(Math.min(failAt, whole.length))
      }),
      { numRuns: 20 },
    )
  })

  it('have the same identifiers when the chat is resumed, and say so', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, fc.nat(100), async (plan, at) => {
        const whole: XEvent[] = []
        const world = newWorld()
        /** What had failed once when an entry was kept: the world that the next process finds. */
        const failures = [new Set<string>()]
        const journal = new ChatJournal({ onEntry: () => void failures.push(new Set(world.failed)) })
        const first = build(plan, world)
        const emit = (event: XEvent): void => void whole.push(event)
        await first.from.initiateChat(first.to, { ...first.options, journal, emit }).catch(() => {})
        const { entries } = journal.saveState()
        const length = at % (entries.length + 1)
        const resumed: XEvent[] = []
        const next = build(plan, { done: [], failed: failures[length]! })
        const loaded = ChatJournal.load({ version: 3, kind: 'chat', entries: entries.slice(0, length) })
        const options = { ...next.options, journal: loaded, emit: (event: XEvent): void => void resumed.push(event) }
        await next.from.initiateChat(next.to, options).catch(() => {})
        checkSpans(resumed)
        const known = new Map(whole.filter(isStart).map(({ id, type }) => [id, type]))
        for (const { id, type } of resumed.filter(isStart)) {
          // Decisions are missing in both.
          expect([id, known.get(id)]).toEqual([id, type])
        }
        if (length < 2) return
        const again = resumed.find(isStart)
        if (again?.type === 'chatStart' && again.parentId === null) expect(again.resumed).toBe(true)
      }),
      { numRuns: 40 },
    )
  })
})

it('end in chats that a tool starts at once and that are stopped while they start', async () => {
  for (let stopAt = 1; ; stopAt++) {
    const controller = new AbortController()
    const events: XEvent[] = []
    const emit = (event: XEvent): void => {
      events.push(event)
      if (events.length === stopAt) controller.abort()
    }
    const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'add', arguments: '{}' } })
    const calling = functionModel(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? 'TERMINATE' : { content: null, tool_calls: [call('a'), call('b')] },
    )
    const user = agent('user', {
      functionMap: {
        add: async (_: unknown, { run }: ToolContext) => {
          const chat = (): Promise<unknown> => {
            const inner = agent('inner', { functionMap: { add: () => 1 } })
            return inner.initiateChat(agent('helper', { llmConfig: calling }), { message: 'go', run })
          }
          await Promise.all([chat(), chat()])
          return 'added'
        },
      },
    })
    const chat = user.initiateChat(agent('assistant', { llmConfig: calling }), {
      message: 'hi',
      emit,
      signal: controller.signal,
    })
    await chat.catch(() => {})
    checkSpans(events)
    if (!controller.signal.aborted) break
  }
})

describe('the option `recalled`', () => {
  it('tells all of a resumed chat, with a mark on what an earlier process has told', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, fc.nat(100), async (plan, at) => {
        const whole: XEvent[] = []
        const world = newWorld()
        const failures = [new Set<string>()]
        const journal = new ChatJournal({ onEntry: () => void failures.push(new Set(world.failed)) })
        const first = build(plan, world)
        const emit = (event: XEvent): void => void whole.push(event)
        const ended = await first.from.initiateChat(first.to, { ...first.options, journal, emit }).catch(String)
        const { entries } = journal.saveState()
        // A question without a decision suspends both.
        const length = at % (entries.length + 1)
        const resumed: XEvent[] = []
        const next = build(plan, { done: [], failed: failures[length]! })
        const loaded = ChatJournal.load({ version: 3, kind: 'chat', entries: entries.slice(0, length) })
        const options = { ...next.options, journal: loaded, emit: (event: XEvent): void => void resumed.push(event) }
        const again = await next.from.initiateChat(next.to, { ...options, events: { recalled: true } }).catch(String)
        expect(again).toEqual(ended)
        checkSpans(resumed)
        if (length === 0) expect(resumed.filter(({ recalled }) => recalled)).toEqual([])
        if (length > 2) expect(resumed.filter(({ recalled }) => recalled)).not.toEqual([])
        const spans = (events: readonly XEvent[]): string[] =>
          events.filter((event) => isStart(event) || isEnd(event)).map(({ type, agent: name }) => `${type} ${name}`)
        // Nothing inside a call that is recalled is told: its code does not run.
        if (!entries.some(({ kind }) => ['tool', 'summary', 'reply'].includes(kind)))
          expect(new Set(spans(resumed))).toEqual(new Set(spans(whole)))
      }),
      { numRuns: 40 },
    )
  })
})

describe('a reader that leaves at the end of a call', () => {
  it('does not have the call made again, and is told of its end again', async () => {
    let calls = 0
    const chatOf = (): ReturnType<typeof agent>[] => {
      const user = agent('user', { functionMap: { add: () => ++calls } })
      const call = { id: 'c', type: 'function' as const, function: { name: 'add', arguments: '{}' } }
      const llmConfig = functionModel(({ messages }) =>
        messages.at(-1)!.role === 'tool' ? 'TERMINATE' : { content: null, tool_calls: [call] },
      )
      return [user, agent('assistant', { llmConfig })]
    }
    const journal = new ChatJournal()
    const [user, assistant] = chatOf()
    for await (const event of user!.initiateChatStream(assistant!, { message: 'hi', journal })) {
      if (event.type === 'toolEnd') break
    }
    const ends: XEvent[] = []
    const emit = (event: XEvent): void => void (event.type === 'toolEnd' && ends.push(event))
    const [again, other] = chatOf()
    await again!.initiateChat(other!, { message: 'hi', journal: ChatJournal.load(journal.saveState()), emit })
    expect(calls).toBe(1)
    expect(ends).toMatchObject([{ outcome: 'ok', result: '1', recalled: true }])
  })
})

describe('an `io` that takes some types of events', () => {
  it('gets those and no others', async () => {
    const whole: XEvent[] = []
    const some: XEvent[] = []
    for (const [events, takes] of [
      [whole, undefined],
      [some, new Set<XEvent['type']>(['chatStart', 'chatEnd', 'receivedMessage'])],
    ] as const) {
      const io: Io = { send: (event) => void events.push(event), input: () => 'exit', takes }
      await agent('user', { io }).initiateChat(agent('other', says('well')), { message: 'hi', maxTurns: 2 })
    }
    const types = (events: readonly XEvent[]): string[] => events.map(({ type }) => type)
    expect(types(some)).toEqual(
      types(whole).filter((type) => ['chatStart', 'chatEnd', 'receivedMessage'].includes(type)),
    )
    expect(types(some)).toContain('chatEnd')
    expect(types(whole)).toContain('modelCallStart')
  })
})

describe('the end of something', () => {
  it('says what went wrong, or that it was stopped or waits', async () => {
    const outcomes = (events: readonly XEvent[], type: string): unknown[] =>
      events.filter(isEnd).flatMap((event) => (event.type === type ? [event.outcome] : []))
    const failed = await toolChat(() => {
      throw new TypeError('no such thing')
    })
    expect(failed.events.find(({ type }) => type === 'toolEnd')).toMatchObject({ outcome: 'error', name: 'ask' })
    const controller = new AbortController()
    const stopped = await toolChat(
      async () => {
        controller.abort()
        await new Promise<never>(() => {})
      },
      { signal: controller.signal },
    )
    expect(outcomes(stopped.events, 'toolEnd')).toEqual(['aborted'])
    expect(outcomes(stopped.events, 'chatEnd')).toEqual(['aborted'])
    checkSpans(stopped.events)
  })
})
