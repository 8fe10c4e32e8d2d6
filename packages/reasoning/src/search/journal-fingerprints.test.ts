import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import {
  beam,
  bestFirst,
  bestOfN,
  dfs,
  forest,
  mcts,
  MemorySearchJournal,
  modelParts,
  search,
  searchSync,
  type Method,
  type SearchOptions,
} from '../index.ts'

const model = functionModel(({ agent }) => {
  if (agent === 'tot_thinker') return 'Option 1: left\nOption 2: right\nOption 3: on'
  return agent === 'tot_grader' ? 'Option 1: Rating: 9\nOption 2: Rating: 8\nOption 3: Rating: 7' : 'It is 42.'
}).createModel()
const parts = (more: object = {}): SearchOptions => modelParts({ model, ...more })

/** Searches with a journal that goes on from saved lines; returns the result and the lines. */
async function run(options: SearchOptions, saved?: string) {
  let lines = saved ?? ''
  const journal = new MemorySearchJournal({ question: 'Q', saved, append: (line) => void (lines += line) })
  return { result: await search('Q', { ...options, journal }), lines, records: journal.size }
}

const method = bestFirst({ maxDepth: 1, answers: 1, widen: 0 })

describe('a journal of a search', () => {
  it('keeps answers and not verdicts: a better verifier is asked again', async () => {
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

  it('a verifier that fails on the way back costs its word and not the answer', async () => {
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

  it('names another method, once, and takes what both ask', async () => {
    const { lines } = await run({ ...parts(), method: beam({ maxDepth: 1 }) })
    const { result } = await run({ ...parts(), method: dfs({ maxDepth: 1 }) }, lines)
    expect(result.warnings).toEqual([expect.stringMatching(/method `beam-\w+`, and this search has `beam-\w+`/)])
    expect(result.answer).toBe('It is 42.')
  })

  it('goes on without a word when nothing has changed but budget, concurrency and verifier', async () => {
    const first = await run({ ...parts(), method: mcts(), budget: { calls: 5 } })
    const second = await run({ ...parts(), method: mcts(), concurrency: 1, verifier: () => true }, first.lines)
    expect(second.result).toMatchObject({ status: 'verified', warnings: [] })
  })

  it('is taken as it is by parts and methods that say nothing of themselves', async () => {
    const own: Method = (task) => method(task)
    const first = await run({ ...parts(), method: own })
    const { grader, ...others } = parts()
    const plain = { grade: grader.grade.bind(grader) }
    const second = await run({ ...others, grader: plain, method }, first.lines)
    expect(second.result.warnings).toEqual([])
    expect(second.records).toBe(first.records)
  })

  it('of the version before is read', async () => {
    const { lines, result, records } = await run({ ...parts(), method })
    const saved = `{"version":2,"question":"Q"}${lines.slice(lines.indexOf('\n'))}`
    const second = await run({ ...parts(), method }, saved)
    expect(JSON.stringify(second.result.trees)).toBe(JSON.stringify(result.trees))
    expect(second.records).toBe(records)
  })
})

it('a first line that was changed is refused', async () => {
  const { lines } = await run({ ...parts(), method })
  for (const [now, then] of [
    ['"version":3', '"version":2'],
    ['"checksum"', '"checksun"'],
  ] as const) {
    await expect(run({ ...parts(), method }, lines.replace(now, then))).rejects.toMatchObject({ code: 'invalid-state' })
  }
})

it('a fingerprint tells settings apart, those of a forest and functions included', () => {
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
