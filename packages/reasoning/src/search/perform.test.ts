import { promisify } from 'node:util'
import type { XEvent } from '@x/interfaces'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  beam,
  bestOfN,
  forest,
  gradedMcts,
  mcts,
  MemorySearchJournal,
  performJob,
  search,
  searchSync,
  type SearchParts,
} from '../index.ts'
import type { JobRequest, PerformJob } from '../strategy/job-request.ts'
import type { PerformingParts } from './perform-elsewhere.ts'
import { METHODS, partsOf } from './random-searches.fake.ts'

const nextTurn = promisify(setImmediate)

const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** Performs jobs as another process does: with nothing but JSON of the request. */
const elsewhere =
  (parts: PerformingParts): PerformJob =>
  (_, request, run) =>
    overTheWire(performJob(overTheWire(request), parts, run))

/** What a search has done, byte by byte; where jobs run at once, without the order in which they ended. */
async function searched(parts: SearchParts, journal: MemorySearchJournal, isSync: boolean): Promise<string> {
  const events: string[] = []
  const emit = (event: XEvent): void => {
    // Its run, number and times are its own in each search.
    const facts = { ...event, runId: null, seq: 0, time: 0, ms: 0 }
    if (event.type !== 'searchBest' || isSync) events.push(JSON.stringify(facts))
  }
  const options = { ...parts, journal, emit }
  const { trees, node, failures, ...rest } = isSync ? searchSync('Q', options) : await search('Q', options)
  const { records } = journal.toJSON()
  const unordered = [failures.map((each) => JSON.stringify(each)), events, Object.entries(records).map(String)]
  const ordered = isSync ? unordered : unordered.map((list) => list.toSorted())
  return JSON.stringify([trees, node?.id, rest, ordered], null, 1)
}

describe('jobs that are performed elsewhere', () => {
  it('give the same search byte by byte, also after a restart', async () => {
    const searches = fc.record({
      name: fc.constantFrom(...Object.keys(METHODS)),
      seed: fc.nat(10_000),
      verified: fc.boolean(),
      isSync: fc.boolean(),
      calls: fc.constantFrom(undefined, 1, 7, 30),
      kept: fc.nat(40),
    })
    await fc.assert(
      fc.asyncProperty(searches, async ({ name, seed, verified, isSync, calls, kept }) => {
        const parts = partsOf(seed, verified && isSync, isSync)
        // Which jobs a budget or a verified answer leaves out depends on the order in which others end.
        const common = { ...parts, method: METHODS[name]!(), budget: isSync ? { calls } : {}, maxOptionLength: 100 }
        const perform = elsewhere(parts)
        const [here, there] = [new MemorySearchJournal({ question: 'Q' }), new MemorySearchJournal({ question: 'Q' })]
        expect(await searched({ ...common, perform }, there, isSync)).toBe(await searched(common, here, isSync))
        const lines: string[] = []
        const journal = new MemorySearchJournal({ question: 'Q', append: (line) => lines.push(line) })
        await searched(common, journal, isSync)
        const saved = lines.slice(0, kept + 1).join('')
        const again = (): MemorySearchJournal => new MemorySearchJournal({ question: 'Q', saved })
        expect(await searched({ ...common, perform }, again(), isSync)).toBe(await searched(common, again(), isSync))
      }),
      { numRuns: 100 },
    )
  })

  // A host knows a job by its request, and would perform it once more after a release.
  it('are asked by the same requests in whatever order their results come', async () => {
    const names = fc.constantFrom(...Object.keys(METHODS))
    const orders = fc.array(fc.array(fc.nat(5), { minLength: 1 }), { minLength: 2, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(names, fc.nat(10_000), orders, async (name, seed, turnsOfOrders) => {
        const parts = partsOf(seed, false)
        const texts = new Map<string, Set<string>>()
        for (const turns of turnsOfOrders) {
          let asked = 0
          const perform: PerformJob = async (job, request, run) => {
            for (let left = turns[asked++ % turns.length]!; left > 0; left--) await nextTurn()
            texts.set(job.id, (texts.get(job.id) ?? new Set()).add(JSON.stringify(request)))
            return await performJob(request, parts, run)
          }
          await search('Q', { ...parts, perform, method: METHODS[name]!() })
        }
        expect([...texts.values()].filter(({ size }) => size > 1)).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('are stopped once the search has an answer', async () => {
    const parts: PerformingParts = { ...partsOf(1, false), verifier: () => true }
    const signals: AbortSignal[] = []
    let answers = 0
    const perform: PerformJob = (job, request, run) => {
      if (job.kind !== 'answer' || answers++ === 0) return performJob(request, parts, run)
      signals.push(run.signal!)
      return new Promise(() => {})
    }
    const { status } = await search('Q', { ...parts, method: bestOfN({ n: 4 }), perform })
    expect([status, signals.map(({ aborted }) => aborted)]).toEqual(['verified', [true, true, true]])
  })

  it('count in the budget of the search', async () => {
    const parts = partsOf(3, false)
    const perform = elsewhere(parts)
    const { used } = await search('Q', { ...parts, perform, method: mcts({ nsim: 1e6 }), budget: { cost: 3 } })
    expect(used.cost).toBeGreaterThan(1)
    expect(used.cost).toBeLessThanOrEqual(3)
  })

  it('fail one by one, without failing the search', async () => {
    const parts = partsOf(8, false)
    const perform: PerformJob = (job, request, run) => {
      if (job.kind === 'grade') throw new Error('no worker')
      return performJob(request, parts, run)
    }
    const { failures } = await search('Q', { ...parts, perform, method: gradedMcts({ nsim: 3 }) })
    expect(failures.map(({ kind, message }) => [kind, message])).toContainEqual(['grade', 'no worker'])
  })
})

const RIGHT = {
  outcome: { kind: 'answer', text: '42', verdict: null },
  used: { calls: 1, promptTokens: 1, completionTokens: 1, cost: 0 },
}

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', '42'],
  ['an outcome alone', RIGHT.outcome],
  ['another kind', { ...RIGHT, outcome: { kind: 'merge', text: '42', verdict: null } }],
  ['a text that is a number', { ...RIGHT, outcome: { ...RIGHT.outcome, text: 42 } }],
  ['an empty answer', { ...RIGHT, outcome: { ...RIGHT.outcome, text: '' } }],
  ['a verdict that is true', { ...RIGHT, outcome: { ...RIGHT.outcome, verdict: true } }],
  ['a cost below 0', { ...RIGHT, used: { ...RIGHT.used, cost: -1 } }],
  ['a cost that is a text', { ...RIGHT, used: { ...RIGHT.used, cost: '1' } }],
  ['warnings that are a text', { ...RIGHT, warnings: 'many' }],
])('%s in place of a record fails the job', async (_, record) => {
  const parts = partsOf(1, false)
  const { answer, failures, used } = await search('Q', { ...parts, method: bestOfN({ n: 1 }), perform: () => record })
  expect([answer, used.calls]).toEqual([null, 2])
  expect(failures[0]).toMatchObject({ code: 'invalid-state', message: expect.stringContaining('performJob') })
})

it('results from elsewhere are cut to the bounds of the search', async () => {
  const text = 'x'.repeat(50_000)
  const options = Array.from({ length: 200 }, () => ({ content: text }))
  const perform: PerformJob = ({ kind }) => {
    if (kind === 'expand') return { ...RIGHT, outcome: { kind, text, reflection: text, options } }
    return kind === 'grade' ? { ...RIGHT, outcome: { kind, grades: [{ value: 1, details: '' }] } } : RIGHT
  }
  const { trees, warnings } = await search('Q', { ...partsOf(1, false), perform, method: beam({ maxDepth: 1 }) })
  expect(trees[0]!.children).toHaveLength(64)
  expect(Math.max(...trees[0]!.children.map(({ content }) => content.length))).toBeLessThan(10_200)
  expect(warnings).toHaveLength(2)
})

describe('a request', () => {
  const asked: JobRequest[] = []
  const parts = partsOf(8, false)
  const perform: PerformJob = (_, request, run) => {
    asked.push(request)
    return performJob(request, parts, run)
  }
  searchSync('Q', { ...parts, perform, method: forest(beam({ maxDepth: 3 }), { size: 3 }) })

  it('is plain JSON', () => {
    for (const request of asked) expect(overTheWire(request)).toEqual(request)
    expect(new Set(asked.map(({ kind }) => kind))).toEqual(new Set(['expand', 'grade', 'answer', 'merge']))
  })

  const request = asked.find(({ kind, nodes }) => kind === 'grade' && nodes.length > 1)!
  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'grade'],
    ['an unknown kind', { ...request, kind: 'think' }],
    ['no nodes', { ...request, nodes: [], about: [] }],
    ['a node that is its own parent', { ...request, nodes: [{ ...request.nodes[0], parent: 0 }] }],
    ['a node without content', { ...request, nodes: [{ ...request.nodes[0], content: undefined }] }],
    ['an index beyond the nodes', { ...request, about: [99] }],
    ['a sample that is a text', { ...request, sample: '1' }],
    ['a context that is a number', { ...request, context: 1 }],
    ['a bound of 0', { ...request, maxOptions: 0 }],
  ])('that is %s is refused', async (_, wrong) => {
    const { failures } = await search('Q', {
      ...parts,
      method: bestOfN({ n: 1 }),
      perform: (_job, _request, run) => performJob(wrong, parts, run),
    })
    expect(failures[0]).toMatchObject({ code: 'invalid-argument' })
  })
})
