import type { Model } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import {
  abMcts,
  beam,
  bestFirst,
  bestOfN,
  dfs,
  forest,
  mcts,
  MemorySearchJournal,
  modelParts,
  modelProposer,
  proposerByModel,
  search,
  searchSync,
  type Method,
} from '../index.ts'
import type { SearchOptions } from './search-options.ts'

const modelNamed = (name: string): Model =>
  functionModel(
    ({ agent }) => {
      if (agent === 'tot_thinker') return 'Option 1: left\nOption 2: right\nOption 3: on'
      return agent === 'tot_grader' ? 'Option 1: Rating: 9\nOption 2: Rating: 8\nOption 3: Rating: 7' : 'It is 42.'
    },
    { model: name },
  ).createModel()
const model = modelNamed('old')
const parts = (more: object = {}): SearchOptions => modelParts({ model, ...more })

/** Searches with a journal that goes on from saved lines; returns the result and the lines. */
async function run(options: SearchOptions, saved?: string) {
  let lines = saved ?? ''
  const journal = new MemorySearchJournal({ question: 'Q', saved, append: (line) => void (lines += line) })
  return { result: await search('Q', { ...options, journal }), lines, records: journal.size }
}

const method = bestFirst({ maxDepth: 1, answers: 1, widen: 0 })

describe('a journal of a search', () => {
  it('stores answers without verdicts: a better verifier is asked again', async () => {
    const first = await run({ ...parts(), method, verifier: () => false })
    expect(first.result).toMatchObject({ status: 'exhausted', verdict: { accepted: false } })
    expect(first.lines).not.toContain('"accepted"')
    let asked = 0
    const verifier = async (answer: string): Promise<boolean> => {
      asked += 1
      return await Promise.resolve(answer.includes('42'))
    }
    const second = await run({ ...parts(), method, verifier }, first.lines)
    expect(second.result).toMatchObject({ status: 'verified', answer: 'It is 42.' })
    expect(asked).toBe(1)
    expect(second.records).toBe(first.records)
    const third = await run({ ...parts(), method }, first.lines)
    expect(third.result.verdict).toBeNull()
  })

  it('keeps an answer if the verifier fails during the replay', async () => {
    const first = await run({ ...parts(), method: bestOfN({ n: 1 }), verifier: () => true })
    const verifier = (): never => {
      throw new Error('no compiler')
    }
    const second = await run({ ...parts(), method: bestOfN({ n: 1 }), verifier }, first.lines)
    expect(second.result).toMatchObject({ answer: 'It is 42.', status: 'exhausted' })
    expect(second.result.verdict?.reason).toContain('no compiler')
  })

  it.each<[string, object, RegExp]>([
    ['another rating scale', { ratingScale: 100 }, /grader `model-grader-/],
    ['another truth', { groundTruth: '42' }, /grader `model-grader-/],
    ['a thinker that rates', { rateUpTo: 10 }, /proposer `model-proposer-/],
  ])('refuses %s, and names it', async (_, more, message) => {
    const { lines } = await run({ ...parts(), method })
    await expect(run({ ...parts(more), method }, lines)).rejects.toThrow(message)
    await expect(run({ ...parts(more), method }, lines)).rejects.toMatchObject({ code: 'invalid-argument' })
    expect(() =>
      searchSync('Q', { ...parts(more), method, journal: new MemorySearchJournal({ question: 'Q', saved: lines }) }),
    ).toThrow(message)
  })

  it('names another method once, and uses the jobs that both ask', async () => {
    const { lines } = await run({ ...parts(), method: beam({ maxDepth: 1 }) })
    const { result } = await run({ ...parts(), method: dfs({ maxDepth: 1 }) }, lines)
    expect(result.warnings).toEqual([
      expect.stringMatching(/method `beam-\w+` wrote the journal, and this search has `beam-\w+`/),
    ])
    expect(result.answer).toBe('It is 42.')
  })

  it('names another model of a part once, even without a new call, and continues with the paid replies', async () => {
    const whole = await run({ ...parts(), method })
    const cut = await run({ ...parts(), method, budget: { calls: 3 } })
    for (const { lines } of [whole, cut]) {
      const { result } = await run({ ...parts({ grader: modelNamed('new') }), method }, lines)
      expect(result.warnings).toEqual([
        expect.stringMatching(/replies of the model `old` to the grader, and this search asks `new`/),
      ])
      expect(result.answer).toBe('It is 42.')
      const all = await run({ ...modelParts({ model: modelNamed('new') }), method }, whole.lines)
      expect(all.result.warnings.map((text) => /to the (\w+)/.exec(text)?.[1])).toEqual([
        'proposer',
        'grader',
        'answerer',
      ])
    }
    expect((await run({ ...parts(), method }, cut.lines)).result.warnings).toEqual([])
  })

  it('recognizes another model by its replies if a part does not name its model', async () => {
    const unnamed = (name: string): SearchOptions => {
      const usual = modelNamed(name)
      const bare = { create: usual.create.bind(usual), createSync: usual.createSync.bind(usual) }
      return modelParts({ model: bare as unknown as Model })
    }
    const many = beam({ maxDepth: 2, beamSize: 1 })
    const cut = await run({ ...unnamed('old'), method: many, budget: { calls: 4 } })
    const changed = await run({ ...unnamed('new'), method: many }, cut.lines)
    expect(changed.result.warnings).toEqual([
      expect.stringMatching(/`old` to the grader, and this search asks `new`/),
      expect.stringMatching(/`old` to the proposer, and this search asks `new`/),
    ])
    // What was named once is no part of the records.
    expect((await run({ ...unnamed('new'), method: many }, changed.lines)).result.warnings).toEqual([])
    expect((await run({ ...unnamed('old'), method: many }, cut.lines)).result.warnings).toEqual([])
  })

  it('has the fingerprints of several proposers', async () => {
    const proposer = (large: string, scale: number | null = null): SearchOptions => ({
      ...parts(),
      method: abMcts({ nsim: 3, maxDepth: 1, models: ['small', 'large'] }),
      proposer: proposerByModel({
        small: modelProposer({ model }),
        large: modelProposer({ model: modelNamed(large), rateUpTo: scale }),
      }),
    })
    const { lines } = await run(proposer('one'))
    expect((await run(proposer('one'), lines)).result.warnings).toEqual([])
    expect((await run(proposer('two'), lines)).result.warnings.join()).toContain('`old, one` to the proposer')
    await expect(run(proposer('one', 10), lines)).rejects.toThrow(/proposer `proposer-by-model-/)
  })

  it('gives no warning if only budget, concurrency and verifier have changed', async () => {
    const first = await run({ ...parts(), method: mcts(), budget: { calls: 5 } })
    const second = await run({ ...parts(), method: mcts(), concurrency: 1, verifier: () => true }, first.lines)
    expect(second.result).toMatchObject({ status: 'verified', warnings: [] })
  })

  it('serves parts and methods without fingerprints', async () => {
    const own: Method = (task) => method(task)
    const first = await run({ ...parts(), method: own })
    const { grader, ...others } = parts()
    const plain = { grade: grader.grade.bind(grader) }
    const second = await run({ ...others, grader: plain, method }, first.lines)
    expect(second.result.warnings).toEqual([])
    expect(second.records).toBe(first.records)
  })

  it('of version 2 can be read', async () => {
    const { lines, result, records } = await run({ ...parts(), method })
    const saved = `{"version":2,"question":"Q"}${lines.slice(lines.indexOf('\n'))}`
    const second = await run({ ...parts(), method }, saved)
    expect(JSON.stringify(second.result.trees)).toBe(JSON.stringify(result.trees))
    expect(second.records).toBe(records)
  })
})

it('a changed first line is refused', async () => {
  const { lines } = await run({ ...parts(), method })
  for (const [now, then] of [
    ['"version":3', '"version":2'],
    ['"checksum"', '"checksun"'],
  ] as const) {
    await expect(run({ ...parts(), method }, lines.replace(now, then))).rejects.toMatchObject({ code: 'invalid-state' })
  }
})

it('a fingerprint distinguishes settings, also those of a forest and functions', () => {
  const a = (text: string): string => text
  const b = (text: string): string => text.trim()
  const methods = [
    beam(),
    beam({ beamSize: 4 }),
    bestOfN({ normalize: a }),
    bestOfN({ normalize: b }),
    forest(beam(), { size: 2 }),
    forest(dfs(), { size: 2 }),
  ]
  expect(new Set(methods.map(({ fingerprint }) => fingerprint)).size).toBe(methods.length)
  expect(beam({}).fingerprint).toBe(beam({ beamSize: 3 }).fingerprint)
})
