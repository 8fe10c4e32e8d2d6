import type { ApprovalDecision, ChatOptions, ChatResult, JournalEntry, PendingApproval, XEvent } from '@x/interfaces'
import { foldEvents } from '@x/kernel/events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { build, chatPlan, type ChatPlan, type Process, type World } from './durability/living-program.fake.ts'
import { ChatJournal } from './index.ts'
import { stateOf } from './memory/state.ts'

type Start = Extract<XEvent, { type: `${string}Start` }>
type End = Extract<XEvent, { type: `${string}End` }>

const isStart = (event: XEvent): event is Start => event.type.endsWith('Start')
const isEnd = (event: XEvent): event is End => event.type.endsWith('End')

type Face = (its: Process, options: ChatOptions, see: (event: XEvent) => void) => Promise<ChatResult>

const FACES: Record<'sync' | 'async' | 'stream', Face> = {
  sync: async ({ from, to }, options, emit) => from.initiateChatSync(to, { ...options, emit }),
  async: async ({ from, to }, options, emit) => await from.initiateChat(to, { ...options, emit }),
  stream: async ({ from, to }, options, see) => {
    const stream = from.initiateChatStream(to, options)
    for (;;) {
      const item = await stream.next()
      if (item.done) return item.value
      see(item.value)
    }
  },
}

/** The events of one process of a chat. */
interface Life {
  readonly events: readonly XEvent[]
  /** Places of the calls whose answers an earlier process has kept. */
  readonly kept?: ReadonlySet<string>
  /** True if the process was killed, so that its last spans have no end. */
  readonly killed: boolean
}

/** What is wrong with the events of the processes of one chat, as a reader of all of them sees it. */
function faultsIn(lives: readonly Life[], recalls = false): string[] {
  const faults: string[] = []
  const known = new Set<string>()
  const runId = lives.flatMap(({ events }) => events)[0]?.runId
  let last = -1
  const messages = new Set<string>()
  for (const { events, killed, kept } of lives) {
    const open = new Map<string, Start>()
    const begun = new Set<string>()
    let time = 0
    for (const event of events) {
      const at = `${event.type} ${event.seq}`
      const wrong = (what: string): void => void faults.push(`${at}: ${what}`)
      if (typeof event.runId !== 'string' || event.runId !== runId) wrong(`run ${event.runId}`)
      if (!Number.isInteger(event.seq) || event.seq <= last) wrong(`number after ${last}`)
      if (event.time < time) wrong(`time ${event.time} after ${time}`)
      if (!Array.isArray(event.agentPath) || event.agentPath.length === 0) wrong('no path')
      else if (event.agent !== null && event.agentPath.at(-1) !== event.agent)
        wrong(`path ${event.agentPath.join('>')} of ${event.agent}`)
      if (typeof event.chatId !== 'string') wrong('no chat')
      if (event.parentId === undefined) wrong('no parent')
      if (Object.values(event).includes(undefined)) wrong('an undefined field')
      if (JSON.stringify(JSON.parse(JSON.stringify(event))) !== JSON.stringify(event)) wrong('no JSON')
      if (event.type === 'receivedMessage' && event.chatId === '1' && !recalls) {
        const message = `message ${event.index} to ${event.recipient}`
        if (messages.has(message)) wrong(`${message} was told already`)
        messages.add(message)
      }
      last = event.seq
      time = event.time
      if (isEnd(event)) {
        const start = open.get(event.id)
        if (!start || start.type.slice(0, -5) !== event.type.slice(0, -3)) wrong(`end of ${event.id} without its start`)
        else {
          if (start.parentId !== event.parentId || start.chatId !== event.chatId) wrong('another place than its start')
          if (event.time - start.time !== event.ms) wrong(`${event.ms} ms for ${event.time - start.time}`)
        }
        for (const { id, parentId } of open.values()) if (parentId === event.id) wrong(`${id} is open`)
        if ((event.error === null) === (event.outcome === 'error')) wrong(`error with ${event.outcome}`)
        open.delete(event.id)
        continue
      }
      if (event.parentId !== null && !open.has(event.parentId)) wrong(`parent ${event.parentId} is not open`)
      if (!isStart(event)) continue
      if (kept?.has(event.id) && !recalls && !event.recalled) wrong(`the answer of ${event.id} is kept`)
      if (begun.has(event.id)) wrong(`${event.id} starts twice`)
      if (event.resumed && !recalls && !known.has(event.id)) wrong(`${event.id} goes on, and never began`)
      begun.add(event.id)
      open.set(event.id, event)
    }
    for (const { id } of events.filter(isStart)) known.add(id)
    if (!killed) for (const { type, id } of open.values()) faults.push(`${type} ${id} has no end`)
  }
  return faults
}

/** Somebody decides by what is asked, and the same every time. */
function decision({ id, action }: PendingApproval): ApprovalDecision {
  const which = id.length % 3
  if (which === 0) return { allow: false, reason: 'not now' }
  return which === 1 || action.type === 'code' ? { allow: true } : { allow: true, arguments: { edited: true } }
}

/** Builds a program with a clock that goes on at every look. */
function begin(plan: ChatPlan, world: World, face: Face): Process {
  const its = build(plan, world, { blocking: face === FACES.sync })
  let time = Date.UTC(2026, 0, 1)
  Object.assign(stateOf(its.from), { now: () => time++ })
  return its
}

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** How a process stood when an entry was kept. */
interface Moment {
  readonly entries: readonly JournalEntry[]
  readonly failed: ReadonlySet<string>
  readonly lives: readonly Life[]
}

/** The kinds of entries whose place is the identifier of the span of their call. */
const CALLS: ReadonlySet<string> = new Set(['model', 'human', 'code'])

const BEGINNING: Moment = { entries: [], failed: new Set(), lives: [] }

interface Story {
  readonly entries: readonly JournalEntry[]
  readonly lives: readonly Life[]
  readonly moments: readonly Moment[]
  readonly result: ChatResult | string
}

interface Course extends ChatOptions {
  /** Number of the event at which the first process is stopped. */
  readonly stopAt?: number
}

/** Runs a chat with a journal from a moment to its end, in as many processes as its approvals and a stop need. */
async function story(plan: ChatPlan, face: Face, from: Moment, course: Course = {}): Promise<Story> {
  const { stopAt, ...extra } = course
  const world: World = { done: [], failed: new Set(from.failed) }
  const lives = [...from.lives]
  const moments: Moment[] = []
  const written: JournalEntry[] = json([...from.entries])
  for (;;) {
    const events: XEvent[] = []
    const kept = new Set(written.filter(({ kind }) => CALLS.has(kind)).map(({ place }) => place))
    const onEntry = (entry: JournalEntry): void => {
      written.push(json(entry))
      const cut = [...lives, { events: events.slice(), kept, killed: true }]
      moments.push({ entries: written.slice(), failed: new Set(world.failed), lives: cut })
    }
    const stop = new AbortController()
    const see = (event: XEvent): void => {
      if (events.push(event) === stopAt && lives.length === 0) stop.abort()
    }
    const its = begin(plan, world, face)
    const journal = ChatJournal.load({ version: 3, kind: 'chat', entries: json(written) }, { onEntry })
    for (const each of journal.pending) await journal.decide(each.id, decision(each))
    const signal = stopAt === undefined ? {} : { signal: stop.signal }
    const result = await face(its, { ...its.options, journal, ...signal, ...extra }, see).catch(String)
    lives.push({ events, kept, killed: false })
    const waits = typeof result === 'string' ? stop.signal.aborted : result.terminationReason === 'suspended'
    if (!waits) return { entries: written, lives, moments, result }
  }
}

const RUNS = Number(process.env['PROGRAMS'] ?? 8)

/** Runs a chat without a journal: what it sends, and what came out. */
async function once(
  plan: ChatPlan,
  face: Face,
  { silent = false, stopAt, ...extra }: ChatOptions & { stopAt?: number } = {},
): Promise<{ events: XEvent[]; result: ChatResult | string; its: Process }> {
  const its = begin(plan, { done: [], failed: new Set() }, face)
  if (silent) for (const agent of its.made) agent.silent = true
  const stop = new AbortController()
  const events: XEvent[] = []
  const see = (event: XEvent): void => {
    events.push(event)
    if (events.length === stopAt) stop.abort()
  }
  const signal = face === FACES.sync ? {} : { signal: stop.signal }
  const result = await face(its, { ...its.options, silent, ...signal, ...extra }, see).catch(String)
  return { events, result, its }
}

/** Compares what events tell with what the operation returned. */
function checkFold(events: readonly XEvent[], result: ChatResult | string): void {
  const fold = foldEvents(events)
  if (typeof result === 'string') return expect(fold.result).toBe(null)
  expect(fold.result).toEqual(result)
  expect(fold.messages).toEqual(result.chatHistory)
  const told = fold.toolCalls.map(({ callId, result: text }) => [callId, text])
  for (const { tool_responses: responses = [] } of result.chatHistory) {
    for (const { tool_call_id: id, content } of responses) expect(told).toContainEqual([id, content])
  }
}

/** Checks the events of all processes of a chat, and what they tell together. */
function checkStory({ lives, result, entries }: Story): void {
  // What stands before a kept hook is told again: a hook may be new in the program, so that it is no sign of the past.
  const hasHooks = entries.some(({ kind }) => kind === 'hook')
  expect(faultsIn(lives).filter((fault) => !hasHooks || !fault.endsWith('told already'))).toEqual([])
  const events = lives.flatMap((life) => life.events)
  checkFold(events, result)
  // Every answer of the models of these programs costs the same.
  const answers = entries.filter(({ kind }) => kind === 'model').length
  expect(foldEvents(events).cost).toBe(answers / 8)
}

const PIECES = new Set(['textDelta', 'reasoningDelta', 'toolInputDelta', 'codeOutput'])

/** The texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** What a program of these tests says has a space, a brace or one of these words; names and words of the library do not. */
const CONTENT = /\s|typed|printed|^ran$|an-image|["[\]]|\{[^}]/u

describe.each(Object.entries(FACES))('in the face %s', (_, face) => {
  it('has the events of a chat in order and in pairs, also of one that was killed at any entry', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, async (plan) => {
        const whole = await story(plan, face, BEGINNING)
        checkStory(whole)
        for (const moment of whole.moments) checkStory(await story(plan, face, moment))
        const some = whole.moments[Math.floor(whole.moments.length / 2)]
        if (!some) return
        const again = await story(plan, face, some)
        for (const moment of again.moments) checkStory(await story(plan, face, moment))
      }),
      { numRuns: RUNS },
    )
  })

  it('tells a reader that comes late what was told already, if it asks for that', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, async (plan) => {
        const whole = await story(plan, face, BEGINNING)
        for (const moment of whole.moments) {
          const { lives, result } = await story(plan, face, { ...moment, lives: [] }, { events: { recalled: true } })
          expect(faultsIn(lives.slice(-1), true)).toEqual([])
          checkFold(lives.at(-1)!.events, result)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('has them without a journal, and of a chat that is stopped', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, fc.nat(80), async (plan, stopAt) => {
        const { events, result } = await once(plan, face)
        expect(faultsIn([{ events, killed: false }])).toEqual([])
        checkFold(events, result)
        const stopped = await once(plan, face, { stopAt })
        expect(faultsIn([{ events: stopped.events, killed: false }])).toEqual([])
      }),
      { numRuns: RUNS * 4 },
    )
  })

  it('has no content in events without content, and the same events', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, async (plan) => {
        const { events } = await once(plan, face)
        const bare = await once(plan, face, { events: { content: false } })
        expect(bare.events.flatMap(textsIn).filter((text) => CONTENT.test(text))).toEqual([])
        const place = ({ type, agentPath, chatId, parentId }: XEvent): string =>
          JSON.stringify([type, agentPath, chatId, parentId])
        const whole = events.filter(({ type }) => !PIECES.has(type))
        // Where the work is done at once, a stream with fewer events has another order.
        expect(bare.events.map(place).toSorted()).toEqual(whole.map(place).toSorted())
      }),
      { numRuns: RUNS * 4 },
    )
  })

  it('has the same events of silent agents', async () => {
    await fc.assert(
      fc.asyncProperty(chatPlan, async (plan) => {
        const loud = await once(plan, face)
        const silent = await once(plan, face, { silent: true })
        // A turn of the event loop may come at another moment, and change the order of what is done at once.
        const heard = (events: readonly XEvent[]): string[] =>
          events
            .map((event) => ({ ...event, seq: 0, time: 0, ms: 0, runId: '', silent: null, options: null }))
            .map((event) => JSON.stringify(Object.entries(event).toSorted(([one], [other]) => (one < other ? -1 : 1))))
            .toSorted()
        expect(heard(silent.events)).toEqual(heard(loud.events))
        const messages = silent.events.filter(
          (event) => event.type === 'receivedMessage' && event.agentPath?.length === 1,
        )
        expect(messages.filter((event) => !(event as { silent?: true }).silent)).toEqual([])
      }),
      { numRuns: RUNS * 4 },
    )
  })
})

it.each(['async', 'stream'] as const)('tells a chat that is stopped and goes on (%s)', async (face) => {
  await fc.assert(
    fc.asyncProperty(chatPlan, fc.integer({ min: 1, max: 60 }), async (plan, stopAt) => {
      const { lives, result } = await story(plan, FACES[face], BEGINNING, { stopAt })
      expect(faultsIn(lives).filter((fault) => !fault.endsWith('told already'))).toEqual([])
      checkFold(
        lives.flatMap(({ events }) => events),
        result,
      )
    }),
    { numRuns: RUNS * 4 },
  )
})
