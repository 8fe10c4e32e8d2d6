import type { ApprovalDecision, ChatResult, JournalEntry, PendingApproval, XEvent } from '@x/interfaces'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChatJournal } from '../index.ts'
import { timeless } from '../recording-io.fake.ts'
import { build, chatPlan, type ChatPlan, type Process, type World } from './living-program.fake.ts'

type Face = (its: Process, journal: ChatJournal | undefined, onEvent: (event: XEvent) => void) => Promise<ChatResult>

const faces: Record<string, Face> = {
  sync: async ({ from, to, options }, journal, emit) => from.initiateChatSync(to, { ...options, journal, emit }),
  async: async ({ from, to, options }, journal, emit) => await from.initiateChat(to, { ...options, journal, emit }),
  stream: async ({ from, to, options }, journal, onEvent) => {
    const stream = from.initiateChatStream(to, { ...options, journal })
    for (;;) {
      const item = await stream.next()
      if (item.done) return item.value
      onEvent(item.value)
    }
  },
}

/** Somebody decides by what is asked, and the same every time. */
function decision({ id, action }: PendingApproval): ApprovalDecision {
  const which = id.length % 3
  if (which === 0) return { allow: false, reason: 'not now' }
  return which === 1 || action.type === 'code' ? { allow: true } : { allow: true, arguments: { edited: true } }
}

/** How a process may have stood when it was killed. */
interface Moment {
  readonly entries: readonly JournalEntry[]
  readonly world: World
  readonly seen: readonly XEvent[]
}

interface Ended {
  readonly outcome: unknown
  readonly events: readonly XEvent[]
  readonly moments: readonly Moment[]
  readonly entries: readonly JournalEntry[]
  readonly done: readonly string[]
}

const BEGINNING: Moment = { entries: [], world: { done: [], failed: new Set() }, seen: [] }

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const errorText = (error: unknown): string => `${(error as { code?: string }).code} ${(error as Error).message}`

/** What came out, and how the agents stand afterwards. */
function standing({ agents }: Process, result: unknown): unknown {
  const histories = agents.map(({ name, chatMessages }) => [
    name,
    [...chatMessages].map(([other, messages]) => [other?.name, messages]),
  ])
  return json({ result, histories, contexts: agents.map((each) => each.saveState().contextVariables) })
}

/** Runs a program from a moment to its end, in as many processes as its approvals need. */
async function ended(plan: ChatPlan, face: string, { entries, world: before, seen }: Moment): Promise<Ended> {
  const world: World = { done: [], failed: new Set(before.failed) }
  const moments: Moment[] = []
  const events: XEvent[] = []
  let written: JournalEntry[] = json([...entries])
  const note = (): void => {
    const failed = new Set(world.failed)
    moments.push({ entries: written.slice(), world: { done: [], failed }, seen: [...seen, ...events] })
  }
  const onEntry = (entry: JournalEntry): void => {
    written.push(json(entry))
    note()
  }
  for (;;) {
    const its = build(plan, world, { blocking: face === 'sync' })
    const journal = ChatJournal.load({ version: 3, kind: 'chat', entries: written }, { onEntry })
    for (const each of journal.pending) await journal.decide(each.id, decision(each))
    let result: unknown
    try {
      const its_ = await faces[face]!(its, journal, (event) => {
        events.push(event)
        note()
      })
      if (its_.terminationReason === 'suspended') {
        expect(journal.pending).not.toEqual([])
        written = json(written)
        continue
      }
      expect(journal.pending).toEqual([])
      result = its_
    } catch (error) {
      result = errorText(error)
    }
    return { outcome: standing(its, result), events, moments, entries: written, done: world.done }
  }
}

/** What is told of an event but for what is asked anew. */
const told = (events: readonly XEvent[]): string[] =>
  events.flatMap((event) => {
    // A question that nobody has decided on is asked again, and an answer has another identifier.
    if (event.type === 'approvalRequested' || ('outcome' in event && event.outcome === 'suspended')) return []
    return event.type === 'answerBegin' ? [] : [timeless(event)]
  })

async function survives(plan: ChatPlan, face: string, pick: (length: number) => readonly number[]): Promise<void> {
  const whole = await ended(plan, face, BEGINNING)
  const check = async (moment: Moment, depth: number): Promise<void> => {
    const resumed = await ended(plan, face, moment)
    expect(resumed.outcome).toEqual(whole.outcome)
    // No call that had answered is made again.
    const answered = moment.entries.filter(({ kind }) => kind === 'tool').length
    const calls = (done: readonly string[]): number => done.filter((each) => each.startsWith('tool ')).length
    const all = whole.entries.filter(({ kind }) => kind === 'tool').length
    // A tool that waits for an approval inside has not answered, and begins again.
    const waits = whole.entries.some(({ kind }) => kind === 'question')
    if (!waits) expect(calls(resumed.done)).toBeLessThanOrEqual(Math.max(0, all - answered))
    const [expected, got] = [told(whole.events), told([...moment.seen, ...resumed.events])]
    expect(new Set(got)).toEqual(new Set(expected))
    if (depth > 1) return
    for (const index of pick(resumed.moments.length)) await check(resumed.moments[index]!, depth + 1)
  }
  for (const index of pick(whole.moments.length)) await check(whole.moments[index]!, 0)
  // One without a journal asks for approvals at once.
  if (whole.entries.some(({ kind }) => kind === 'question')) return
  const world: World = { done: [], failed: new Set() }
  const its = build(plan, world, { blocking: face === 'sync' })
  const result = await faces[face]!(its, undefined, () => {}).catch(errorText)
  expect(standing(its, result)).toEqual(whole.outcome)
}

/** A few places of a list, its ends among them. */
const some = (seed: number) => (length: number) =>
  [...new Set([0, (seed * 7) % length, (seed * 13 + 5) % length, length - 1])].filter(
    (each) => each >= 0 && each < length,
  )

/** `pnpm test:programs` tries more. */
const RUNS = Number(process.env['PROGRAMS'] ?? 8)

it.each(Object.keys(faces))(
  'whatever the agents do, a killed chat comes out as one that was not (%s)',
  async (face) => {
    await fc.assert(
      fc.asyncProperty(chatPlan, fc.nat(1000), async (plan, seed) => await survives(plan, face, some(seed))),
      { numRuns: RUNS },
    )
  },
)

/** Resumes a chat from some moments with a journal that holds every call back: returns what was called all the same. */
async function calledWhileHeld(plan: ChatPlan, face: string, pick: (length: number) => readonly number[]) {
  const { moments } = await ended(plan, face, BEGINNING)
  const called: string[] = []
  for (const index of pick(moments.length)) {
    const { entries, world } = moments[index]!
    const now: World = { done: called, failed: new Set(world.failed) }
    const held = Promise.withResolvers<undefined>()
    const beforeCall = async (): Promise<void> => {
      held.resolve(undefined)
      await new Promise<never>(() => {})
    }
    const journal = ChatJournal.load({ version: 3, kind: 'chat', entries: json(entries) })
    const its = build(plan, now, { blocking: face === 'sync' })
    const end = faces[face]!(its, Object.assign(journal, { beforeCall }), () => {}).catch(errorText)
    await Promise.race([end, held.promise])
    // What goes on side by side has its turn, and makes no call either.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  }
  return called
}

it.each(Object.keys(faces))('whatever the agents do, a journal can hold every call back (%s)', async (face) => {
  await fc.assert(
    fc.asyncProperty(chatPlan, fc.nat(1000), async (plan, seed) => {
      expect(await calledWhileHeld(plan, face, some(seed))).toEqual([])
    }),
    { numRuns: RUNS },
  )
})
