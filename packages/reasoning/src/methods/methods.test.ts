import { describe, expect, it } from 'vitest'
import {
  beam,
  bestFirst,
  bestOfN,
  depthFirst,
  dfs,
  forest,
  gradedMcts,
  lats,
  mcts,
  searchSync,
  type SearchParts,
  type SearchResult,
  type ThinkNode,
} from '../index.ts'
import type { Grader } from '../search/parts.ts'
import { chooseByUct } from './uct.ts'

interface Scene {
  /** Options after a path of contents joined by `/`; the root is empty. */
  options?: (path: string) => string[]
  /** Grade of a node; null cannot be read. */
  grade?: (path: string) => number | null
  answer?: (paths: string[], sample: number) => string
}

interface Seen {
  expanded: string[]
  graded: string[][]
  answered: string[][]
  contexts: (string | null)[]
  repairs: (string | null)[]
  merged: string[][]
}

const pathOf = (node: ThinkNode): string =>
  node.path
    .slice(1)
    .map(({ content }) => content)
    .join('/')

function scene({
  options = () => ['a', 'b'],
  grade = () => 0.5,
  answer = () => 'done',
}: Scene): SearchParts & { seen: Seen } {
  const seen: Seen = { expanded: [], graded: [], answered: [], contexts: [], repairs: [], merged: [] }
  const grader: Grader = {
    grade: ({ nodes, repair, context }) => {
      seen.graded.push(nodes.map(pathOf))
      seen.repairs.push(repair)
      seen.contexts.push(context)
      return { grades: nodes.map((node) => ({ value: grade(pathOf(node)), details: `words on ${pathOf(node)}` })) }
    },
  }
  const parts = {
    proposer: {
      propose: ({ node, context, repair }) => {
        seen.expanded.push(pathOf(node))
        seen.contexts.push(context)
        seen.repairs.push(repair)
        const made = options(pathOf(node)).map((content) => ({ content }))
        return { text: 'a reply', reflection: '', options: repair === null ? made : [{ content: 'repaired' }] }
      },
    },
    grader,
    answerer: {
      answer: ({ from, sample }) => {
        seen.answered.push(from.map(pathOf))
        return { text: answer(from.map(pathOf), sample) }
      },
      merge: ({ answers }) => {
        seen.merged.push([...answers])
        return { text: answers.join('+') }
      },
    },
  } satisfies SearchParts
  // The notes are no option: a spread leaves them out.
  return Object.defineProperty(parts, 'seen', { value: seen }) as typeof parts & { seen: Seen }
}

const find = ({ trees }: SearchResult, path: string): ThinkNode =>
  [...trees[0]!.walk()].find((node) => pathOf(node) === path)!

describe('beam', () => {
  it('keeps the best, the first of equals, in the order in which they were proposed', () => {
    const parts = scene({ options: () => ['a', 'b', 'c', 'd'], grade: (path) => (path.endsWith('a') ? 0.1 : 0.7) })
    searchSync('Q', { ...parts, method: beam({ beamSize: 2, maxDepth: 1 }) })
    expect(parts.seen.answered).toEqual([['b', 'c']])
  })

  it('grades no node if there is nothing to choose', () => {
    const parts = scene({ options: () => ['a'] })
    searchSync('Q', { ...parts, method: beam({ maxDepth: 2 }) })
    expect(parts.seen.graded).toEqual([])
    expect(parts.seen.answered).toEqual([['a/a']])
  })

  it('finds the best of ungraded ends by their nearest graded ancestor', () => {
    const parts = scene({
      options: (path) => (path === '' ? ['a', 'b', 'c'] : ['TERMINATE']),
      grade: (path) => ({ a: 0.4, b: 0.8, c: 0.1 })[path] ?? 0,
    })
    searchSync('Q', { ...parts, method: beam({ beamSize: 2, answerApproach: 'best' }) })
    expect(parts.seen.answered).toEqual([['b/TERMINATE']])
  })

  it('counts a grade of 0 as a grade: it is not asked again', () => {
    const parts = scene({ options: () => ['a', 'b', 'c'], grade: () => 0 })
    searchSync('Q', { ...parts, method: beam({ beamSize: 1, maxDepth: 2 }) })
    expect(parts.seen.graded).toHaveLength(6)
  })

  it('a reply without options ends its path; if no other path is left, the answer is written from there', () => {
    const parts = scene({ options: (path) => (path === '' ? ['a'] : []) })
    const result = searchSync('Q', { ...parts, method: beam(), repair: false })
    expect(result).toMatchObject({ answer: 'done', status: 'accepted' })
    expect(parts.seen.answered).toEqual([['a']])
    expect(parts.seen.repairs).not.toContain('a reply')
  })

  it('answers the bare question if the very first reply has no option', () => {
    const parts = scene({ options: () => [] })
    expect(searchSync('Q', { ...parts, method: beam(), repair: false })).toMatchObject({ answer: 'done' })
    expect(parts.seen.answered).toEqual([['']])
  })

  it('a missing grade does not affect the others', () => {
    const parts = scene({ options: () => ['a', 'b', 'c', 'd'], grade: (path) => (path === 'b' ? null : 0.5) })
    const result = searchSync('Q', { ...parts, method: beam({ maxDepth: 1, gradeMode: 'per-parent' }) })
    expect(find(result, '').children.map(({ grade }) => grade)).toEqual([0.5, null, 0.5, 0.5])
    expect(parts.seen.answered).toEqual([['a', 'c', 'd']])
  })

  it('uses the mean of several grades', () => {
    let n = 0
    const parts = scene({ options: () => ['a', 'b'], grade: () => [0.2, 0.4, 0.9][n++ % 3]! })
    const result = searchSync('Q', { ...parts, method: beam({ beamSize: 1, maxDepth: 1, gradeSamples: 3 }) })
    expect(find(result, 'a').grade).toBeCloseTo(0.5)
  })

  it('uses the grades of a proposer', () => {
    const parts = scene({})
    const proposer = {
      propose: () => ({
        text: '',
        reflection: '',
        options: [
          { content: 'a', grade: 0.1 },
          { content: 'b', grade: 0.9 },
        ],
      }),
    }
    searchSync('Q', { ...parts, proposer, method: dfs({ maxDepth: 1 }) })
    expect(parts.seen).toMatchObject({ graded: [], answered: [['b']] })
  })

  it('marks dropped nodes', () => {
    const result = searchSync('Q', {
      ...scene({ grade: (path) => (path === 'a' ? 1 : 0) }),
      method: dfs({ maxDepth: 1 }),
    })
    expect(find(result, 'a').fate).toBe('final')
    expect(find(result, 'b').fate).toBe('pruned')
  })
})

describe('TERMINATE', () => {
  it.each(['TERMINATE', '**TERMINATE**', '`TERMINATE` - done', 'TERMINATE: the answer is 4'])(
    'ends a path: %j',
    (word) => {
      const parts = scene({ options: () => [word] })
      searchSync('Q', { ...parts, method: beam() })
      expect(parts.seen.expanded).toEqual([''])
    },
  )

  it.each(['Do not TERMINATE yet', 'TERMINATED early'])('does not end a path: %j', (word) => {
    const parts = scene({ options: () => [word] })
    searchSync('Q', { ...parts, method: beam({ maxDepth: 2 }) })
    expect(parts.seen.expanded).toHaveLength(2)
  })

  it('in the question is part of the question', () => {
    const parts = scene({})
    searchSync('TERMINATE is which word?', { ...parts, method: beam({ maxDepth: 1 }) })
    expect(parts.seen.expanded).toEqual([''])
  })
})

describe('chooseByUct', () => {
  const done = (total: number, visits = 1): { visits: number; pending: number; total: number } => ({
    visits,
    pending: 0,
    total,
  })

  it('goes by the true mean: the value is divided once', () => {
    // Mean 0.9 after ten visits against 0.2 after ten: divided twice, both would be near 0.
    expect(chooseByUct([done(2, 10), done(9, 10)], 20, 0.1)).toBe(1)
    expect(chooseByUct([done(9, 10), done(2, 10)], 20, 0.1)).toBe(0)
  })

  it('takes the bonus as it is defined', () => {
    const visits = 5
    const gap = Math.sqrt(Math.log(visits)) - Math.sqrt(Math.log(visits) / 4)
    expect(chooseByUct([done(4 * (gap + 0.001), 4), done(0)], visits, 1)).toBe(0)
    expect(chooseByUct([done(4 * (gap - 0.001), 4), done(0)], visits, 1)).toBe(1)
  })

  it('prefers unvisited children, in order, and the first of equals', () => {
    expect(chooseByUct([done(1), done(0, 0), done(0, 0)], 1, 1)).toBe(1)
    expect(chooseByUct([done(0.5), done(0.5)], 2, 1)).toBe(0)
  })

  it('waits only while a pending reward could change the choice', () => {
    const pending = { visits: 1, pending: 1, total: 0 }
    expect(chooseByUct([pending, done(0.5)], 2, 1)).toBeNull()
    expect(chooseByUct([pending, done(1)], 2, 0)).toBeNull()
    expect(chooseByUct([{ visits: 9, pending: 1, total: 0 }, done(1)], 10, 0)).toBe(1)
  })
})

describe('mcts', () => {
  it('returns the answer with the best grade and propagates the rewards to the root', () => {
    let n = 0
    const parts = scene({
      options: () => ['a', 'b', 'c'],
      answer: () => `answer ${++n}`,
      grade: (path) => Number(path.at(-1)) / 10,
    })
    const result = searchSync('Q', { ...parts, method: mcts({ maxDepth: 1, nsim: 3 }), random: () => 0 })
    expect(result.answer).toBe('answer 3')
    expect(result.trees[0]).toMatchObject({ visits: 3 })
    expect(result.trees[0]!.value).toBeCloseTo(0.2)
    expect(parts.seen.answered).toEqual([['a'], ['b'], ['c']])
  })

  it('answers a path without options from its end', () => {
    const parts = scene({ options: (path) => (path === '' ? ['a'] : []) })
    expect(searchSync('Q', { ...parts, method: mcts({ nsim: 1 }), repair: false })).toMatchObject({ answer: 'done' })
    expect(parts.seen.answered).toEqual([['a\nTERMINATE']])
  })

  it('asks for another answer at a second visit of a leaf', () => {
    const samples: number[] = []
    const parts = scene({ options: () => ['a'], answer: (_, sample) => `answer ${samples.push(sample)}` })
    searchSync('Q', { ...parts, method: mcts({ maxDepth: 1, nsim: 3 }) })
    expect(samples).toEqual([0, 1, 2])
  })

  it('counts an answer that cannot be graded as 0', () => {
    const result = searchSync('Q', { ...scene({ grade: () => null }), method: mcts({ maxDepth: 1, nsim: 2 }) })
    expect(result).toMatchObject({ answer: 'done', status: 'accepted' })
    expect(result.trees[0]!.value).toBe(0)
  })
})

describe('lats', () => {
  it('shows thinker and grader the earlier attempts and their ratings, at most the latest five', () => {
    const parts = scene({ grade: () => 0.3 })
    searchSync('Q', { ...parts, method: lats({ maxDepth: 1, nsim: 8 }), random: () => 0 })
    const contexts = parts.seen.contexts.filter((context) => context !== null)
    expect(parts.seen.contexts.slice(0, 2)).toEqual([null, null])
    expect(contexts[0]).toBe('### Try 1\nStep 1: a\nRating: words on a/done')
    expect(contexts.at(-1)!.match(/### Try/g)).toHaveLength(5)
    expect(contexts.at(-1)).toContain('### Try 7')
  })
})

describe('forest', () => {
  it('merges the answers of its trees by one more call that sees all of them', () => {
    const parts = scene({ answer: (_, sample) => `answer ${sample}` })
    const result = searchSync('Q', { ...parts, method: forest(dfs({ maxDepth: 1 }), { size: 3 }) })
    expect(parts.seen.merged).toEqual([['answer 0', 'answer 1', 'answer 2']])
    expect(result.answer).toBe('answer 0+answer 1+answer 2')
    expect(result.trees.map(({ id }) => id)).toEqual(['t0/0', 't1/0', 't2/0'])
  })

  it('returns the most frequent answer if the answerer cannot merge', () => {
    const { answerer, ...parts } = scene({ answer: (_, sample) => (sample === 0 ? 'a slip' : 'Answer: 2') })
    const { answer } = answerer
    const method = forest(dfs({ maxDepth: 1 }), { size: 3 })
    expect(searchSync('Q', { ...parts, answerer: { answer }, method }).answer).toBe('Answer: 2')
  })

  it('votes without a call', () => {
    const parts = scene({ answer: (_, sample) => (sample === 0 ? 'Answer: 1' : 'So: the answer is **2**.\nAnswer: 2') })
    const result = searchSync('Q', { ...parts, method: forest(dfs({ maxDepth: 1 }), { size: 3, merge: 'vote' }) })
    expect(result.answer).toContain('Answer: 2')
    expect(parts.seen.merged).toEqual([])
  })

  it('continues with the trees that have an answer', () => {
    const parts = scene({
      answer: (_, sample) => {
        if (sample === 1) throw new Error('lost')
        return `answer ${sample}`
      },
    })
    searchSync('Q', { ...parts, method: forest(dfs({ maxDepth: 1 }), { size: 3 }) })
    expect(parts.seen.merged).toEqual([['answer 0', 'answer 2']])
  })

  it('stops all trees at a verified answer', () => {
    const parts = scene({ answer: (_, sample) => `answer ${sample}` })
    const method = forest(dfs({ maxDepth: 1 }), { size: 3 })
    const result = searchSync('Q', { ...parts, method, verifier: (answer) => answer === 'answer 1' })
    expect(result).toMatchObject({ status: 'verified', answer: 'answer 1' })
    expect(parts.seen.answered).toHaveLength(2)
  })

  it('of forests merges the answers of the forests', () => {
    const parts = scene({ answer: (_, sample) => `answer ${sample}` })
    const method = forest(forest(dfs({ maxDepth: 1 }), { size: 2 }), { size: 2 })
    const result = searchSync('Q', { ...parts, method })
    expect(parts.seen.merged).toEqual([
      ['answer 0', 'answer 2'],
      ['answer 1', 'answer 3'],
      ['answer 0+answer 2', 'answer 1+answer 3'],
    ])
    expect(result).toMatchObject({ answer: 'answer 0+answer 2+answer 1+answer 3', status: 'accepted' })
  })

  it('of forests has distinct samples and ids', () => {
    const samples = new Set<number>()
    const parts = scene({ answer: (_, sample) => `answer ${samples.add(sample).size}` })
    const method = forest(forest(bestOfN({ n: 2 }), { size: 2 }), { size: 2 })
    const { trees } = searchSync('Q', { ...parts, method })
    expect(samples.size).toBe(8)
    expect(new Set(trees.map(({ id }) => id)).size).toBe(4)
  })
})

describe('best first', () => {
  const graded = (path: string): number => ({ a: 0.6, b: 0.5, 'b/a': 0.9, 'a/a': 0.2, 'a/b': 0.2 })[path] ?? 0.3

  it('leaves a disappointing path for the best of all others', () => {
    const parts = scene({ grade: graded })
    const result = searchSync('Q', { ...parts, method: bestFirst({ maxDepth: 2, widen: 0 }) })
    expect(parts.seen.expanded).toEqual(['', 'a', 'b'])
    expect(parts.seen.answered).toEqual([['b/a']])
    expect(result.status).toBe('accepted')
  })

  it('expands a good node again and adds only new options', () => {
    let n = 0
    const parts = scene({
      options: () => (n++ === 0 ? ['a', 'b'] : ['B', 'c']),
      grade: (path) => (path === 'c' ? 0.9 : 0.2),
    })
    const result = searchSync('Q', { ...parts, method: bestFirst({ maxDepth: 1 }) })
    expect(result.trees[0]!.children.map(({ content }) => content)).toEqual(['a', 'b', 'c'])
    expect(parts.seen.graded).toEqual([['a', 'b'], ['c'], ['c']])
  })

  it('answers from the best end if none is good enough', () => {
    const parts = scene({ grade: (path) => (path === 'b' ? 0.5 : 0.4) })
    const result = searchSync('Q', { ...parts, method: bestFirst({ maxDepth: 1, widen: 0 }) })
    expect(result).toMatchObject({ answer: 'done', status: 'exhausted' })
    expect(parts.seen.answered).toEqual([['b']])
  })

  it('asks once more for an answer that the verifier rejects, then continues', () => {
    let n = 0
    const parts = scene({ grade: () => 0.9, answer: () => `answer ${++n}` })
    const verifier = (answer: string): boolean => answer === 'answer 5'
    const result = searchSync('Q', { ...parts, verifier, method: bestFirst({ maxDepth: 1 }) })
    expect(result).toMatchObject({ status: 'verified', answer: 'answer 5' })
    expect(parts.seen.answered).toEqual([['a'], ['a'], ['a'], ['b'], ['b']])
  })

  it('accepts an answer on which two of three attempts agree', () => {
    const parts = scene({ grade: () => 0.9, answer: (_, sample) => ['Answer: 1', 'Answer: 2', 'answer: 2'][sample]! })
    const result = searchSync('Q', { ...parts, method: bestFirst({ maxDepth: 1, agree: 2 }) })
    expect(result).toMatchObject({ answer: 'Answer: 2', status: 'accepted' })
  })

  it('grades a finished path twice without a verifier, once with one', () => {
    let looks = 0
    const grade = (path: string): number => (path === 'a' ? [0.9, 0.1][looks++]! : path === 'b' ? 0.88 : 0.2)
    const parts = scene({ grade })
    const result = searchSync('Q', { ...parts, method: bestFirst({ maxDepth: 1 }) })
    expect(parts.seen.answered).toEqual([['b']])
    expect(find(result, 'a').grade).toBeCloseTo(0.5)
    const sure = scene({ grade: () => 0.9 })
    searchSync('Q', { ...sure, method: bestFirst({ maxDepth: 1 }), verifier: () => true })
    expect(sure.seen.graded).toEqual([['a', 'b']])
  })

  it('tries paths with low grades last, and only with a verifier', () => {
    const parts = scene({ options: () => ['a', 'b', 'c'], grade: (path) => ({ a: 0, b: 0.5, c: 0.9 })[path]! })
    const method = bestFirst({ maxDepth: 1, widen: 0, answers: 1 })
    searchSync('Q', { ...parts, method, verifier: () => false })
    expect(parts.seen.answered).toEqual([['c'], ['b'], ['a']])
  })

  it('asks once to repair an unreadable reply', () => {
    const parts = scene({ options: () => [], grade: (path) => (path === 'repaired' ? 0.9 : null) })
    const result = searchSync('Q', { ...parts, method: bestFirst({ maxDepth: 1 }) })
    expect(parts.seen.repairs.slice(0, 2)).toEqual([null, 'a reply'])
    expect(parts.seen.answered).toEqual([['repaired']])
    expect(result.status).toBe('accepted')
    const unread = scene({ grade: () => null })
    searchSync('Q', { ...unread, method: bestFirst({ maxDepth: 1, expansions: 1 }) })
    expect(unread.seen.graded).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    expect(unread.seen.repairs).toEqual([null, null, 'words on a'])
  })

  it('rates the claim to be done as an outcome, not as a step', () => {
    const outcomes: boolean[] = []
    const parts = scene({ options: (path) => (path === '' ? ['a'] : ['TERMINATE']) })
    const grader: Grader = {
      grade: ({ nodes, isOutcome }) => {
        outcomes.push(isOutcome)
        return { grades: nodes.map(() => ({ value: 0.9, details: 'good' })) }
      },
    }
    searchSync('Q', { ...parts, grader, method: bestFirst() })
    expect(outcomes).toEqual([false, true, true])
  })
})

describe('depth first', () => {
  it('goes down by the best option, prunes and backtracks', () => {
    const grade = (path: string): number =>
      ({ a: 0.6, b: 0.5, 'a/a': 0.1, 'a/b': 0.1, 'b/a': 0.4, 'b/a/a': 0.9 })[path] ?? 0.1
    const parts = scene({ grade })
    searchSync('Q', { ...parts, method: depthFirst({ maxDepth: 3, widen: 0 }) })
    expect(parts.seen.expanded).toEqual(['', 'a', 'b', 'b/a'])
    expect(parts.seen.answered).toEqual([['b/a/a']])
  })
})

describe('graded mcts', () => {
  it('follows the grades, and stops at an answer with a good grade', () => {
    const parts = scene({ grade: (path) => (path.startsWith('b') ? 0.9 : 0.2) })
    const result = searchSync('Q', { ...parts, method: gradedMcts({ maxDepth: 2 }) })
    expect(parts.seen.answered[0]![0]).toMatch(/^b/)
    expect(result.status).toBe('accepted')
  })

  it('asks once to repair an unreadable reply', () => {
    const parts = scene({ options: () => [], grade: () => null })
    searchSync('Q', { ...parts, method: gradedMcts({ maxDepth: 1, nsim: 1 }) })
    expect(parts.seen.repairs).toEqual([null, 'a reply', null, 'words on repaired'])
  })

  it('ends with the best answer if none is good', () => {
    const result = searchSync('Q', { ...scene({ grade: () => 0.3 }), method: gradedMcts({ maxDepth: 1, nsim: 4 }) })
    expect(result).toMatchObject({ status: 'exhausted', answer: 'done' })
  })
})

describe('best of n', () => {
  it('returns the most frequent answer', () => {
    const parts = scene({ answer: (_, sample) => `Thinking ${sample}.\nAnswer: ${[1, 2, 2, 3][sample]!}` })
    expect(searchSync('Q', { ...parts, method: bestOfN({ n: 4 }) }).answer).toBe('Thinking 1.\nAnswer: 2')
  })

  it('prefers the first verified answer to the vote', () => {
    const parts = scene({ answer: (_, sample) => `Answer: ${[1, 1, 2, 3][sample]!}` })
    const result = searchSync('Q', {
      ...parts,
      method: bestOfN({ n: 4 }),
      verifier: (answer) => answer === 'Answer: 2',
    })
    expect(result).toMatchObject({ answer: 'Answer: 2', status: 'verified' })
    expect(parts.seen.answered).toHaveLength(3)
  })
})

it('best of n answers in the end by an answer that was asked before one that failed', () => {
  const strategy = bestOfN({ n: 3 })({ question: 'Q', id: '', sample: 0, stride: 1, random: () => 0, verified: false })
  const [first, second, third] = strategy.ask()
  for (const job of [second, third]) strategy.tell(job!, { kind: 'failed', code: 'model-failed', message: 'down' })
  strategy.conclude?.()
  expect(strategy.ask()).toEqual([first])
  strategy.tell(first!, { kind: 'answer', text: '42', verdict: null })
  expect(strategy.answer).toMatchObject({ text: '42', node: { id: '0@0' } })
})

describe('options of methods', () => {
  it.each([
    ['beamSize', () => beam({ beamSize: 0 })],
    ['maxDepth', () => mcts({ maxDepth: 0 })],
    ['nsim', () => lats({ nsim: 0 })],
    ['size', () => forest(beam(), { size: 0 })],
    ['`n`', () => bestOfN({ n: 0 })],
    ['width', () => bestFirst({ width: 0 })],
    ['widenEvery', () => gradedMcts({ widenEvery: 0 })],
  ])('refuses a %s of nothing', (name, make) => {
    expect(make).toThrow(name)
  })
})
