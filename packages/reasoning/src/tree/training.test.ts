import { describe, expect, it } from 'vitest'
import { beam, bestFirst, mcts, searchSync, Tree, type SearchParts, type ThinkNode } from '../index.ts'
import { extractRlhfPreferenceDataset, extractSftDataset, extractStepLabels } from './training.ts'

const GRADES: Record<string, number | null> = { a: 0.9, b: 0.5, c: 0, d: null }

const parts: SearchParts = {
  proposer: {
    propose: () => ({ text: '', reflection: 'hm', options: Object.keys(GRADES).map((content) => ({ content })) }),
  },
  grader: {
    grade: ({ nodes }) => ({
      grades: nodes.map(({ content }) => ({
        value: GRADES[content] ?? (content in GRADES ? null : 0.8),
        details: 'x',
      })),
    }),
  },
  answerer: { answer: ({ from }) => ({ text: `answer ${from[0]!.content}` }) },
}

const grown = (): ThinkNode => searchSync('Q', { ...parts, method: beam({ beamSize: 2, maxDepth: 2 }) }).trees[0]!

describe('extractSftDataset', () => {
  it('returns the best finished paths, without the question in the response', () => {
    expect(extractSftDataset(grown())).toEqual([
      { instruction: 'Q', response: 'Step 1: a\nStep 2: a', value: 0.9, node: '0.0.0' },
      { instruction: 'Q', response: 'Step 1: b\nStep 2: a', value: 0.9, node: '0.1.0' },
    ])
  })

  it('never returns a branch that was dropped unfinished, whatever its grade', () => {
    const root = grown()
    root.children[2]!.grade = 1
    expect(extractSftDataset(root).map(({ node }) => node)).toEqual(['0.0.0', '0.1.0'])
  })

  it('is empty for a tree without any finished and graded path', () => {
    const root = searchSync('Q', { ...parts, method: beam({ beamSize: 4, maxDepth: 1 }) }).trees[0]!
    expect(extractSftDataset(root)).toEqual([])
  })

  it('treats graded answers as the ends of their paths', () => {
    const root = searchSync('Q', { ...parts, method: mcts({ nsim: 1, maxDepth: 1 }), random: () => 0 }).trees[0]!
    expect(extractSftDataset(root)).toEqual([
      { instruction: 'Q', response: 'Step 1: a\nStep 2: answer a', value: 0.8, node: '0.0@0' },
    ])
  })
})

describe('extractRlhfPreferenceDataset', () => {
  it('pairs graded siblings, also with a grade of 0, but without unknown grades', () => {
    const rows = extractRlhfPreferenceDataset(grown()).filter(({ instruction }) => !instruction.includes('Step'))
    expect(rows.map((row) => [row.preferred_response, row.dispreferred_response, row.margin])).toEqual([
      ['Step 1: a', 'Step 1: b', 0.4],
      ['Step 1: a', 'Step 1: c', 0.9],
      ['Step 1: b', 'Step 1: c', 0.5],
    ])
    expect(rows[0]).toMatchObject({ reflection: 'hm', instruction: 'Question:\nQ\n---\n' })
  })

  it('compares visited nodes by their mean, not by the mean over the visits', () => {
    const root = grown()
    const [first, second] = root.children as [ThinkNode, ThinkNode]
    Object.assign(first, { visits: 10, value: 0.9 })
    Object.assign(second, { visits: 1, value: 0.3 })
    const [row] = extractRlhfPreferenceDataset(root)
    expect(row).toMatchObject({ preferred_response: 'Step 1: a', dispreferred_response: 'Step 1: b' })
    expect(row!.margin).toBeCloseTo(0.6)
  })

  it.each([0, 1, -1, Number.NaN])('refuses a threshold of %s', (threshold) => {
    expect(() => extractRlhfPreferenceDataset(grown(), threshold)).toThrow(/between 0 and 1/)
  })
})

describe('extractStepLabels', () => {
  it('labels a step by its outcome, else by its grade', () => {
    const rows = extractStepLabels(grown())
    expect(rows[0]).toEqual({ question: 'Q', steps: ['a'], label: 0.9, source: 'outcome' })
    expect(rows.find(({ steps }) => steps.join() === 'b')).toMatchObject({ label: 0.9, source: 'outcome' })
    expect(rows.find(({ steps }) => steps.join() === 'c')).toMatchObject({ label: 0, source: 'grade' })
    expect(rows.some(({ steps }) => steps.includes('d'))).toBe(false)
  })
})

describe('by outcome', () => {
  /** A search whose grader likes what the verifier refuses. */
  const checked = (verifier?: (answer: string) => boolean): ThinkNode =>
    searchSync('Q', {
      ...parts,
      verifier,
      method: bestFirst({ maxDepth: 1, expansions: 3, answers: 1, widen: 0, acceptAt: 2, confirm: 0 }),
    }).trees[0]!
  const isRight = (answer: string): boolean => answer === 'answer c'

  it('the right answer is an example, and a wrong one with a good grade is not', () => {
    const root = checked(isRight)
    expect(extractSftDataset(root)).toEqual([
      { instruction: 'Q', response: 'Step 1: c\nStep 2: answer c', value: 1, node: '0.2@0' },
    ])
    expect(extractSftDataset(root, { by: 'outcome' })).toEqual(extractSftDataset(root))
    const none = checked(() => false)
    expect([...none.walk()].some(({ isVerified }) => isVerified === false)).toBe(true)
    expect(extractSftDataset(none, { verifiedOnly: true })).toEqual([])
    expect(extractSftDataset(none).every(({ response }) => !response.includes('answer'))).toBe(true)
  })

  it('nothing is verified without a verifier', () => {
    const root = searchSync('Q', { ...parts, method: mcts({ nsim: 4, maxDepth: 1 }) }).trees[0]!
    expect(extractSftDataset(root, { by: 'outcome' })[0]).toMatchObject({ value: 0.8 })
    expect(extractSftDataset(root, { verifiedOnly: true })).toEqual([])
    expect(extractStepLabels(root, { by: 'outcome', verifiedOnly: true })).toEqual([])
    expect(extractRlhfPreferenceDataset(root, { by: 'outcome', verifiedOnly: true })).toEqual([])
  })

  it('labels of steps come from the answers below them', () => {
    const root = checked(isRight)
    const labels = extractStepLabels(root, { by: 'outcome', verifiedOnly: true })
    expect(Object.fromEntries(labels.map(({ steps, label }) => [steps.join('/'), label]))).toEqual({
      a: 0,
      b: 0,
      c: 1,
      d: 0,
    })
    expect(labels.every(({ source }) => source === 'outcome')).toBe(true)
    // A finished path whose answers were refused is worth what they are, by default as well.
    expect(extractStepLabels(root).find(({ steps }) => steps.join() === 'a')).toMatchObject({ label: 0 })
  })

  it('is the mean over all answers below a step', () => {
    const tree = new Tree({ question: 'Q', id: '' })
    const [left, right] = [tree.add(tree.root, 'left'), tree.add(tree.root, 'right')]
    for (const [above, outcomes] of [
      [left, [true, false, true]],
      [right, [false]],
    ] as const) {
      const step = tree.add(above, 'on')
      for (const accepted of outcomes) {
        const answer = tree.add(step, 'so')
        tree.mark('answer', answer)
        tree.verify(answer, { accepted, score: Number(accepted), reason: null })
      }
    }
    // The grader has it the wrong way round.
    tree.grade(left, 0.1, 'bad')
    tree.grade(right, 0.9, 'good')
    expect(extractStepLabels(tree.root, { by: 'outcome' }).map(({ label }) => label)).toEqual([2 / 3, 2 / 3, 0, 0])
    const preferred = (options: object): string[] =>
      extractRlhfPreferenceDataset(tree.root, options)
        .filter(({ instruction }) => !instruction.includes('Step'))
        .map(({ preferred_response }) => preferred_response)
    expect(preferred({})).toEqual(['Step 1: right'])
    expect(preferred({ by: 'outcome' })).toEqual(['Step 1: left'])
    expect(preferred({ by: 'outcome', contrastiveThreshold: 0.7 })).toEqual([])
  })
})
