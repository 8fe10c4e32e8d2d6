import type { Run, XEvent } from '@x/interfaces'
import { currentRun, runAsync, runSync, wait, type Steps } from '@x/kernel'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  beam,
  bestOfN,
  MemorySearchJournal,
  search,
  searchStream,
  searchSync,
  type SearchParts,
  type SearchResult,
} from '../index.ts'
import type { PerformingParts } from './perform-elsewhere.ts'
import { expectTrees, METHODS, partsOf, readSpans } from './random-searches.fake.ts'

/** Makes the end of every call wait for some turns, and each call send an event of the program. */
function slowly(parts: PerformingParts, turns: (call: number) => number): PerformingParts {
  let calls = 0
  const after = async <T>(value: T, emit: (() => unknown) | undefined): Promise<T> => {
    for (let left = turns(calls++); left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
    await emit?.()
    return value
  }
  const { proposer, grader, answerer } = parts
  const note = { type: 'custom', name: 'asked', data: null } as const
  return {
    ...parts,
    proposer: { propose: async (asked, run) => await after(await proposer.propose(asked, run), () => run.emit(note)) },
    grader: { grade: async (asked, run) => await after(await grader.grade(asked, run), () => run.emit(note)) },
    answerer: {
      answer: async (asked, run) => await after(await answerer.answer(asked, run), () => run.emit(note)),
      merge: async (asked, run) => await after(await answerer.merge!(asked, run), () => run.emit(note)),
    },
  }
}

const searches = fc.record({
  name: fc.constantFrom(...Object.keys(METHODS)),
  seed: fc.nat(10_000),
  verified: fc.boolean(),
  calls: fc.constantFrom(undefined, undefined, 1, 7, 30),
  concurrency: fc.constantFrom(undefined, 1, 3),
})

type RandomSearch = typeof searches extends fc.Arbitrary<infer T> ? T : never

/** The parts of a random search; its calls end in any order. */
function optionsOf({ name, seed, verified, calls, concurrency }: RandomSearch): SearchParts {
  const parts = slowly(partsOf(seed, verified), (call) => (seed * (call + 3)) % 5)
  return { ...parts, method: METHODS[name]!(), budget: { calls }, concurrency }
}

/** Checks the events of one search from its start to its end against its result. */
function expectTold(events: readonly XEvent[], { answer, status, used, trees }: SearchResult): void {
  const spans = readSpans(events)
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['searchStart', 'searchEnd'])
  const outcome = status === 'aborted' ? 'aborted' : 'ok'
  expect(events.at(-1)).toMatchObject({ answer, status, used, outcome, error: null })
  const ends = events.filter((event) => event.type === 'searchJobEnd')
  expect(spans.size).toBe(ends.length + 1)
  // A job that was stopped counts as a call of unknown size.
  expect(ends.reduce((sum, end) => sum + (end.used?.calls ?? 1), 0)).toBe(used.calls)
  for (const { used: told, outcome: its, failure } of ends) {
    expect(its).toBe(told === null ? 'aborted' : failure === null ? 'ok' : 'error')
  }
  for (const event of events) {
    if (event.type === 'custom') expect(spans.get(event.parentId!)?.start.type).toBe('searchJobStart')
  }
  expectTrees(events, trees)
  expect(JSON.parse(JSON.stringify(events))).toEqual(events)
}

it('the events of random searches pair, nest and tell the result, stopped at any event', async () => {
  await fc.assert(
    fc.asyncProperty(searches, fc.nat(150), async (plan, stopAt) => {
      const events: XEvent[] = []
      const stop = new AbortController()
      const emit = (event: XEvent): void => {
        if (events.push(event) === stopAt) stop.abort()
      }
      const result = await search('Q', { ...optionsOf(plan), signal: stop.signal, emit })
      expectTold(events, result)
    }),
    { numRuns: 200 },
  )
})

it('a run that ends closes the spans of its search', async () => {
  await fc.assert(
    fc.asyncProperty(searches, fc.integer({ min: 1, max: 60 }), async (plan, stopAt) => {
      const events: XEvent[] = []
      const stop = new AbortController()
      const program = inRun((run) => search('Q', { ...optionsOf(plan), run }))
      const emit = (event: XEvent): void => {
        if (events.push(event) === stopAt) stop.abort()
      }
      const searched = runAsync(program, { emit, signal: stop.signal })
      const ended = await searched.then(
        () => true,
        () => false,
      )
      readSpans(events)
      // The listener may have stopped the run at the end of the search.
      if (ended || events.length === stopAt) return
      expect(events.at(-1)).toMatchObject({ type: 'searchEnd', outcome: 'aborted', status: null, answer: null })
    }),
    { numRuns: 100 },
  )
})

/** The events of a search without the facts of its run. */
const comparable = (events: readonly XEvent[]): unknown[] =>
  events.map((event) => ({ ...event, runId: null, time: 0, ms: 0 }))

it('the three faces tell the same, with and without a run', async () => {
  await fc.assert(
    fc.asyncProperty(searches, async ({ name, seed, verified, calls }) => {
      const parts = { ...partsOf(seed, verified, true), method: METHODS[name]!(), budget: { calls }, concurrency: 1 }
      const all: XEvent[][] = []
      const listen = (): ((event: XEvent) => void) => {
        const events: XEvent[] = []
        all.push(events)
        return (event) => void events.push(event)
      }
      const first = searchSync('Q', { ...parts, emit: listen() })
      await search('Q', { ...parts, emit: listen() })
      const stream = searchStream('Q', parts)
      const hear = listen()
      for await (const event of stream) hear(event)
      runSync(
        inRun((run) => searchSync('Q', { ...parts, run })),
        { emit: listen() },
      )
      await runAsync(
        inRun((run) => search('Q', { ...parts, run })),
        { emit: listen() },
      )
      await runAsync(inRun((run) => search('Q', { ...parts, run, emit: listen() })))
      for (const events of all) {
        expectTold(events, first)
        expect(comparable(events)).toEqual(comparable(all[0]!))
      }
    }),
    { numRuns: 40 },
  )
})

/** Starts a search inside a run. */
function* inRun(start: (run: Run) => SearchResult | Promise<SearchResult>): Steps<SearchResult> {
  return yield* wait(start(yield* currentRun()), 'a search')
}

it('an error of the journal ends the job and the search', async () => {
  const events: XEvent[] = []
  const journal = { get: () => undefined, set: () => Promise.reject(new Error('the disk is full')) }
  const searched = search('Q', {
    ...partsOf(1, false),
    method: beam({ maxDepth: 1 }),
    journal,
    emit: (event) => void events.push(event),
  })
  await expect(searched).rejects.toThrow('the disk is full')
  const spans = [...readSpans(events).values()].map(({ end }) => end)
  // The end of a job is told before it is stored.
  expect(spans).toMatchObject([
    { type: 'searchEnd', outcome: 'error', error: { message: 'the disk is full' }, status: null },
    { type: 'searchJobEnd', outcome: 'ok' },
  ])
})

it('a second attempt of a job has a span of its own', async () => {
  const events: XEvent[] = []
  const answers = ['', '42']
  const { status } = await search('Q', {
    ...partsOf(1, false),
    answerer: { answer: () => ({ text: answers.shift()! }) },
    method: bestOfN({ n: 1 }),
    emit: (event) => void events.push(event),
  })
  expect(status).toBe('accepted')
  const ends = events.filter((event) => event.type === 'searchJobEnd' && event.kind === 'answer')
  expect(ends).toMatchObject([
    { id: 'span0.answer:0@0', outcome: 'error', error: { code: 'no-response' }, failure: 'the answer was empty' },
    { id: 'span0.answer:0@0!', outcome: 'ok', error: null, failure: null },
  ])
})

it('a job from a journal of an earlier search is told as replayed', async () => {
  const journal = new MemorySearchJournal({ question: 'Q' })
  const parts = { ...partsOf(3, false), method: beam({ maxDepth: 2 }), journal }
  const whole = await search('Q', parts)
  const events: XEvent[] = []
  const again = await search('Q', { ...parts, emit: (event) => void events.push(event) })
  expect(again.answer).toBe(whole.answer)
  expectTold(events, again)
  const ends = events.filter((event) => event.type === 'searchJobEnd')
  expect(ends.filter(({ replayed }) => replayed)).toHaveLength(journal.size)
})

it('the options for events hold for a search', async () => {
  const events: XEvent[] = []
  const redact = (event: XEvent): XEvent | null => (event.type === 'searchGrade' ? null : event)
  const emit = (event: XEvent): void => void events.push(event)
  await search('canary', {
    ...partsOf(3, false),
    method: beam({ maxDepth: 2 }),
    emit,
    events: { content: false, redact },
  })
  expect(JSON.stringify(events)).not.toMatch(/canary|step \d/)
  expect(events.filter(({ type }) => type === 'searchGrade')).toEqual([])
  expect(events.filter(({ type }) => type === 'searchJobEnd').length).toBeGreaterThan(2)
})
