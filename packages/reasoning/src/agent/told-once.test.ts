import { ChatJournal, ConversableAgent } from '@x/agent'
import type { EventOptions, Io, JournalEntry, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ReasoningAgent, search, type SearchParts, type ThinkNode } from '../index.ts'
import { expectTrees, METHODS, partsOf, readSpans } from '../search/random-searches.fake.ts'

const io: Io = { send: () => {}, input: () => 'exit' }

/** Parts that wait, and always find an answer. */
function partsWith(seed: number): Pick<SearchParts, 'proposer' | 'grader' | 'answerer'> {
  const { proposer, grader } = partsOf(seed, false)
  return {
    proposer: { propose: async (request, run) => await proposer.propose(request, run) },
    grader: { grade: async (request, run) => await grader.grade(request, run) },
    answerer: {
      answer: async ({ from }) => await Promise.resolve({ text: `from ${from.map(({ id }) => id).join()}` }),
    },
  }
}

interface Plan {
  readonly method: string
  readonly seed: number
  readonly concurrency: number | undefined
}

/** Options that make a chat part of a process. */
interface InProcess {
  readonly journal: ChatJournal
  readonly emit: (event: XEvent) => void
  readonly signal: AbortSignal
  readonly events: EventOptions
}

const CHAT = { message: 'Q', maxTurns: 1 }

const agentOf = (name: string): ConversableAgent =>
  new ConversableAgent({ name, io, humanInputMode: 'NEVER', llmConfig: false })

/** Programs that search; they return the trees, or nothing if the journal has the answer of the search. */
const PROGRAMS: Readonly<Record<string, (plan: Plan, options: InProcess) => Promise<readonly ThinkNode[]>>> = {
  async 'a reasoning agent'({ method, seed, concurrency }, options) {
    const reasonConfig = { method: METHODS[method]!(), parts: partsWith(seed), concurrency }
    const llmConfig = functionModel(() => 'never asked')
    const reasoner = new ReasoningAgent({ name: 'reasoner', io, llmConfig, reasonConfig })
    await agentOf('user').initiateChat(reasoner, { ...CHAT, ...options })
    return reasoner.root ? [reasoner.root] : []
  },
  async 'a reply function that searches'({ method, seed, concurrency }, options) {
    const [user, searcher] = [agentOf('user'), agentOf('searcher')]
    let trees: readonly ThinkNode[] = []
    searcher.registerReply(user, async (_, { run }) => {
      const result = await search('Q', { ...partsWith(seed), method: METHODS[method]!(), concurrency, run })
      ;({ trees } = result)
      return [true, result.answer]
    })
    await user.initiateChat(searcher, { ...CHAT, ...options })
    return trees
  },
}

/** One process of a program: its events, and what its journal has after it. */
interface Process {
  readonly events: readonly XEvent[]
  readonly entries: readonly JournalEntry[]
  readonly trees: readonly ThinkNode[]
  readonly ended: boolean
}

/** Runs a program from the entries of earlier processes on, until it ends or the listener has had some events. */
async function runProcess(
  program: (options: InProcess) => Promise<readonly ThinkNode[]>,
  earlier: readonly JournalEntry[],
  { stopAfter, recalled = false }: { readonly stopAfter: number; readonly recalled?: boolean },
): Promise<Process> {
  const events: XEvent[] = []
  const stop = new AbortController()
  const saved = { version: 3, kind: 'chat', entries: [...earlier] }
  const journal = earlier.length > 0 ? ChatJournal.load(saved) : new ChatJournal()
  const emit = (event: XEvent): void => {
    if (events.push(event) === stopAfter) stop.abort()
  }
  const running = program({ journal, emit, signal: stop.signal, events: { recalled } })
  const trees = await running.catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'aborted' })
    return null
  })
  const { entries } = JSON.parse(JSON.stringify(journal.saveState())) as { entries: readonly JournalEntry[] }
  return { events, entries, trees: trees ?? [], ended: trees !== null }
}

const plans = fc.record({
  method: fc.constantFrom(...Object.keys(METHODS)),
  seed: fc.nat(10_000),
  concurrency: fc.constantFrom(undefined, 1, 3),
})

const isOfSearch = ({ type }: XEvent): boolean => type.startsWith('search')

/** Checks that no search and no job of which the answer is kept is told again. */
function expectKeptOnce(processes: readonly Process[]): void {
  for (const [index, { events, entries }] of processes.entries()) {
    const kept = new Set(entries.map(({ kind, name }) => (kind === 'job' ? name : kind)))
    const later = processes.slice(index + 1).flatMap((each) => each.events)
    const toldLater = new Set(later.flatMap((event) => (isOfSearch(event) && 'id' in event ? [event.id] : [])))
    for (const event of events) {
      const answer = event.type === 'searchJobEnd' ? event.job : event.type === 'searchEnd' ? 'search' : null
      if (answer !== null && kept.has(answer)) expect(toldLater).not.toContain((event as { id?: string }).id)
    }
  }
}

it.each(Object.entries(PROGRAMS))('%s tells everything over processes, and what is kept once', async (_, program) => {
  await fc.assert(
    fc.asyncProperty(plans, fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }), async (plan, stops) => {
      const processes: Process[] = []
      for (const stopAfter of [...stops, Infinity]) {
        const earlier = processes.at(-1)?.entries ?? []
        processes.push(await runProcess((options) => program(plan, options), earlier, { stopAfter }))
        if (processes.at(-1)!.ended) break
      }
      const all = processes.flatMap(({ events }) => events)
      for (const [index, event] of all.entries()) {
        expect(event.runId).toBe(all[0]!.runId)
        expect(event.seq).toBeGreaterThan(all[index - 1]?.seq ?? -1)
      }
      for (const { events } of processes) readSpans(events)
      expectKeptOnce(processes)
      const { ended, trees } = processes.at(-1)!
      expect(ended).toBe(true)
      expectTrees(all, trees)
      const [first, ...others] = all.filter((event) => event.type === 'searchStart')
      expect(first).not.toHaveProperty('resumed')
      const jobsBefore = (at: number): boolean =>
        all.some((event) => event.type === 'searchJobEnd' && event.seq < at && event.outcome !== 'aborted')
      for (const start of others) if (start.resumed) expect(jobsBefore(start.seq)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

it('tells the changes of a tree again only if they may have been lost', async () => {
  const plan: Plan = { method: 'beam', seed: 3, concurrency: 1 }
  const program = PROGRAMS['a reasoning agent']!
  const run = (earlier: readonly JournalEntry[], stopAfter: number): Promise<Process> =>
    runProcess((options) => program(plan, options), earlier, { stopAfter })
  const whole = await run([], Infinity)
  const jobs = whole.events.flatMap((event, index) => (event.type === 'searchJobStart' ? [index + 1] : []))
  expect(jobs.length).toBeGreaterThan(9)
  // A job that has begun follows the changes by the job before it, of which the last was not stored as told.
  for (const at of jobs.slice(2)) {
    const first = await run([], at)
    const second = await run(first.entries, Infinity)
    const told = first.events.filter(({ type }) => type === 'searchNode').length
    const again = second.events.filter(({ type }) => type === 'searchNode').length
    const nodes = whole.events.filter(({ type }) => type === 'searchNode').length
    expect(told + again - nodes).toBeLessThanOrEqual(3)
    expect(told + again).toBeGreaterThanOrEqual(nodes)
  }
})

it('tells a search again to a listener that asks for what is recalled', async () => {
  const plan: Plan = { method: 'beam', seed: 3, concurrency: 1 }
  const program = PROGRAMS['a reply function that searches']!
  const run = (earlier: readonly JournalEntry[], stopAfter: number, recalled: boolean): Promise<Process> =>
    runProcess((options) => program(plan, options), earlier, { stopAfter, recalled })
  const whole = await run([], Infinity, false)
  const first = await run([], 40, false)
  const { events, trees } = await run(first.entries, Infinity, true)
  readSpans(events)
  expectTrees(events, trees)
  const jobsOf = (told: readonly XEvent[]): unknown[] =>
    told.flatMap((event) => (event.type === 'searchJobEnd' ? [event.job] : []))
  expect(jobsOf(events)).toEqual(jobsOf(whole.events))
  const kept = first.entries.filter(({ kind }) => kind === 'job').map(({ name }) => name)
  expect(kept.length).toBeGreaterThan(3)
  for (const event of events) {
    if (event.type !== 'searchJobEnd') continue
    expect([event.job, event.recalled ?? false, event.replayed]).toEqual([
      event.job,
      kept.includes(event.job),
      kept.includes(event.job),
    ])
  }
})

it('tells the span of a finished search again to such a listener', async () => {
  const plan: Plan = { method: 'beam', seed: 3, concurrency: 1 }
  const program = PROGRAMS['a reasoning agent']!
  const run = (earlier: readonly JournalEntry[], recalled: boolean): Promise<Process> =>
    runProcess((options) => program(plan, options), earlier, { stopAfter: Infinity, recalled })
  const first = await run([], false)
  const spanOf = ({ events }: Process): readonly XEvent[] =>
    events.filter(({ type }) => type === 'searchStart' || type === 'searchEnd')
  const untimed = (event: XEvent): object => ({ ...event, seq: 0, time: 0, ms: 0 })
  const recalled = spanOf(await run(first.entries, true))
  expect(recalled.map(untimed)).toMatchObject(spanOf(first).map((event) => ({ ...untimed(event), recalled: true })))
  expect(spanOf(await run(first.entries, false))).toEqual([])
})
