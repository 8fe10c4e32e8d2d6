import { ChatJournal, tool, type ConversableAgent } from '@x/agent'
import type { ChatMessage, ChatResult, EventOptions, Face, JournalEntry, Reply, XEvent } from '@x/interfaces'
import { foldEvents } from '@x/kernel/events'
import { functionModel } from '@x/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { calling, groupOf, member, quiet } from './fakes.fake.ts'
import type { GroupChatOptions } from './group/group-options.ts'

const NAMES = ['ann', 'bob', 'story_writer', 'writer', 'Admin']

/** The replies of a member of a random group, and its functions. */
interface RandomMember {
  readonly says: 'text' | 'command' | 'call' | 'end' | 'model' | 'person' | 'nothing' | 'group'
  readonly functions: readonly string[]
}

const MEMBER: fc.Arbitrary<RandomMember> = fc.record({
  says: fc.constantFrom('text', 'text', 'model', 'command', 'call', 'end', 'person', 'nothing', 'group'),
  functions: fc.subarray(['f', 'g']),
})

/** A random group as plain data, from which every process makes it again. */
interface RandomGroup {
  readonly members: readonly RandomMember[]
  readonly method: 'round_robin' | 'random' | 'auto' | 'manual' | 'function'
  readonly maxRound: number
  readonly maxTurns: number | null
  readonly allowRepeatSpeaker: boolean
  readonly enableClearHistory: boolean
  readonly sendIntroductions: boolean
  readonly seed: number
}

const GROUP: fc.Arbitrary<RandomGroup> = fc.record({
  members: fc.array(MEMBER, { minLength: 2, maxLength: NAMES.length }),
  method: fc.constantFrom('round_robin', 'random', 'auto', 'manual', 'function'),
  maxRound: fc.integer({ min: 1, max: 7 }),
  maxTurns: fc.constantFrom(null, null, 1, 2),
  allowRepeatSpeaker: fc.boolean(),
  enableClearHistory: fc.boolean(),
  sendIntroductions: fc.boolean(),
  seed: fc.nat(1000),
})

/** Makes a group from its description; external answers depend on the number of messages alone, so that all processes agree. */
function make({ members, method, seed, maxTurns, ...rest }: RandomGroup) {
  const agents: ConversableAgent[] = []
  const said = (): number => group.messages.length + seed
  const pick = <T>(list: readonly T[]): T => list[said() % list.length]!
  const replies: Readonly<Record<RandomMember['says'], Reply>> = {
    text: 'well',
    command: { content: 'so CLEAR HISTORY ann 1' },
    call: calling('f', 'g'),
    end: 'TERMINATE',
    model: '',
    person: '',
    nothing: '',
    group: '',
  }
  const inner = groupOf([member('x'), member('y')], { maxRound: 3 }, { name: 'inner' })
  for (const [index, { says, functions }] of members.entries()) {
    const name = NAMES[index]!
    if (says === 'group' && !agents.includes(inner.manager)) {
      agents.push(inner.manager)
      continue
    }
    const agent = member(name, {
      defaultAutoReply: replies[says],
      ...(says === 'model' && { llmConfig: functionModel(() => pick(['as told', 'TERMINATE', 'hm'])) }),
      ...(says === 'person' && {
        humanInputMode: 'ALWAYS',
        io: { ...quiet, input: () => pick(['typed', '', 'exit']) },
      }),
      ...(says === 'nothing' && { isTerminationMsg: () => true }),
    })
    for (const each of functions) {
      agent.registerForExecution(tool({ name: each, description: each, execute: () => `${each} ${said()}` }))
    }
    agents.push(agent)
  }
  const texts = (): string =>
    pick(['nobody', 'ann', 'bob or ann', 'story writer', 'writer', 'inner', '{"speaker":"bob"}'])
  const options: Partial<GroupChatOptions> = {
    ...rest,
    speakerSelectionMethod: method === 'function' ? () => pick([...agents, null, 'random', 'auto']) : method,
    random: () => (said() % 7) / 7,
  }
  const io = { ...quiet, input: () => pick(['1', '2', 'x', '', '9']) }
  const { group, manager } = groupOf(agents, options, { llmConfig: functionModel(texts), io })
  const events: XEvent[] = []
  const start = async (face: Face, journal?: ChatJournal, course: Course = {}): Promise<ChatResult> => {
    const { stopAt, silent = false, told } = course
    manager.silent = silent
    for (const agent of agents) if (silent) agent.silent = true
    const chat = { message: 'hi', maxTurns, silent, events: told, ...(journal && { journal, runId: 'run' }) }
    const abort = new AbortController()
    const emit = (event: XEvent): void => {
      if (events.push(event) === stopAt) abort.abort()
    }
    if (face === 'sync') return agents[0]!.initiateChatSync(manager, { ...chat, emit })
    if (face === 'async') return await agents[0]!.initiateChat(manager, { ...chat, emit, signal: abort.signal })
    const stream = agents[0]!.initiateChatStream(manager, chat)
    for await (const event of stream) emit(event)
    return await stream.result
  }
  const seen = (chat: unknown): string =>
    JSON.stringify({ chat, group: group.messages, histories: agents.map(historiesOf) }, null, 1)
  return { start, seen, events }
}

/** How a chat is run. */
interface Course {
  /** Number of the event at which it is stopped. */
  readonly stopAt?: number
  readonly silent?: boolean
  /** What its events contain. */
  readonly told?: EventOptions
}

const historiesOf = ({ chatMessages }: ConversableAgent): (readonly [string | undefined, readonly ChatMessage[]])[] =>
  [...chatMessages].map(([counterpart, messages]) => [counterpart?.name, messages])

/** Checks that every start of a span has one end after it, that parents are open, and that numbers and times grow. */
function expectSpans(events: readonly XEvent[]): void {
  const open = new Set<string>()
  const begun = new Set<string>()
  for (const [index, event] of events.entries()) {
    const earlier = events[index - 1]
    if (earlier) expect([event.seq > earlier.seq, event.time >= earlier.time]).toEqual([true, true])
    expect(event.parentId === null || open.has(event.parentId)).toBe(true)
    if (!('outcome' in event || event.type.endsWith('Start')) || !('id' in event)) continue
    if ('outcome' in event) expect(open.delete(event.id)).toBe(true)
    else {
      expect(begun).not.toContain(event.id)
      begun.add(event.id)
      open.add(event.id)
    }
  }
  expect([...open]).toEqual([])
}

/** Checks that the events of a group tell its result; an error is none. */
function expectTold(events: readonly XEvent[], chat: unknown): void {
  expect(foldEvents(events).result).toEqual((chat as Partial<ChatResult>).cost ? chat : null)
}

/** The end of a chat: its result, or the code of its error. */
const outcome = async (chat: Promise<ChatResult>): Promise<unknown> =>
  await chat.catch((error: { code?: unknown }) => ({ code: error.code }))

it('gives the same result in every form, whatever the group', async () => {
  await fc.assert(
    fc.asyncProperty(GROUP, async (description) => {
      const [sync, ...others] = await Promise.all(
        (['sync', 'async', 'stream'] as const).map(async (face) => {
          const world = make(description)
          const chat = await outcome(world.start(face))
          expectSpans(world.events)
          expectTold(world.events, chat)
          return world.seen(chat)
        }),
      )
      for (const other of others) expect(other).toBe(sync)
    }),
    { numRuns: 60, seed: 18, endOnFailure: true },
  )
}, 60_000)

it('closes every span wherever it is stopped, whatever the group', async () => {
  await fc.assert(
    fc.asyncProperty(GROUP, fc.integer({ min: 1, max: 80 }), async (description, stopAt) => {
      const world = make(description)
      await outcome(world.start('async', undefined, { stopAt }))
      expectSpans(world.events)
    }),
    { numRuns: 100, seed: 31, endOnFailure: true },
  )
}, 60_000)

it('resumes from any journal entry to the same end, whatever the group', async () => {
  await fc.assert(
    fc.asyncProperty(GROUP, fc.double({ min: 0, max: 1, noNaN: true }), async (description, moment) => {
      const entries: JournalEntry[] = []
      const seen: number[] = []
      const world = make(description)
      const onEntry = (entry: JournalEntry): void => {
        entries.push(entry)
        seen.push(world.events.length)
      }
      const whole = world.seen(await outcome(world.start('async', new ChatJournal({ onEntry }))))
      const length = Math.floor(moment * (entries.length + 1))
      const other = make(description)
      const kept = entries.slice(0, length).map((entry) => JSON.stringify(entry))
      const chat = await outcome(other.start('async', ChatJournal.parse(kept.join('\n'))))
      expect(other.seen(chat)).toBe(whole)
      expectSpans(other.events)
      const before = length === 0 ? [] : world.events.slice(0, seen[length - 1])
      expectTold([...before, ...other.events], chat)
    }),
    { numRuns: 150, seed: 81, endOnFailure: true },
  )
}, 60_000)

const typesOf = (events: readonly XEvent[]): readonly string[] => events.map(({ type }) => type)

/** Returns the types of the events of each span, in order; spans are in the order of their texts. */
function typesBySpan(events: readonly XEvent[]): readonly string[] {
  const spans = Map.groupBy(events, (event) => ('id' in event ? event.id : event.parentId))
  return [...spans.values()].map((each) => typesOf(each).join(' ')).toSorted()
}

it('tells the same events of a silent group, and none with content where it is left out', async () => {
  const pieces = new Set<string>(['textDelta', 'reasoningDelta', 'toolInputDelta', 'codeOutput'])
  await fc.assert(
    fc.asyncProperty(GROUP, fc.constantFrom<Face>('sync', 'async', 'stream'), async (description, face) => {
      const eventsOf = async (course: Course): Promise<readonly XEvent[]> => {
        const world = make(description)
        await outcome(world.start(face, undefined, course))
        return world.events
      }
      // Tools of one answer run side by side: a run that kept the event loop for long goes on with another of them first.
      const told = face === 'sync' ? typesOf : typesBySpan
      const all = await eventsOf({})
      const silent = await eventsOf({ silent: true })
      expect(told(silent)).toEqual(told(all))
      expect(silent.filter((event) => event.type === 'receivedMessage' && !event.silent)).toEqual([])
      const bare = await eventsOf({ told: { content: false } })
      expect(told(bare)).toEqual(told(all.filter(({ type }) => !pieces.has(type))))
      expect(JSON.stringify(bare)).not.toMatch(/"(?:hi|hm|well|typed|as told)"|CLEAR|bob or ann|from [abgsxy]/u)
    }),
    { numRuns: 100, seed: 64, endOnFailure: true },
  )
}, 60_000)
