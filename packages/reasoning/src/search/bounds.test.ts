import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { fitTexts, shorten } from '../read/shorten.ts'
import {
  beam,
  mcts,
  MemorySearchJournal,
  methodOf,
  METHOD_NAMES,
  modelParts,
  search,
  searchSync,
  type SearchParts,
} from '../index.ts'

/** A model whose thinker gives huge options, with the length of the longest prompt that it was sent. */
function hostile(options: number, length: number): { parts: SearchParts; longest: () => number } {
  let longest = 0
  const filling = 'x'.repeat(length)
  const model = functionModel(({ messages }) => {
    longest = Math.max(longest, JSON.stringify(messages).length)
    const system = JSON.stringify(messages[0])
    if (/grader/.test(system)) return `Rating: 8 ${filling}`
    if (!/You plan/.test(system)) return 'the answer'
    return Array.from({ length: options }, (_, i) => `Option ${i + 1}: do ${i} ${filling}`).join('\n')
  }).createModel()
  return { parts: modelParts({ model }), longest: () => longest }
}

describe('a search within bounds', () => {
  it('survives huge options with a warning', () => {
    const { parts, longest } = hostile(50, 60_000)
    const { answer, trees, warnings } = searchSync('Q', { ...parts, method: beam({ maxDepth: 1, beamSize: 2 }) })
    expect(answer).toBe('the answer')
    expect(trees[0]!.children).toHaveLength(50)
    expect(Math.max(...trees[0]!.children.map(({ content }) => content.length))).toBeLessThan(11_000)
    expect(warnings).toEqual([expect.stringContaining('`maxOptionLength`'), expect.stringContaining('a grading')])
    expect(longest()).toBeLessThan(100_000)
  })

  it.each(METHOD_NAMES)('sends no prompt beyond the bound: %s', async (method) => {
    const { parts, longest } = hostile(70, 11_000)
    const events: string[] = []
    const result = await search('Q'.repeat(300_000), {
      ...parts,
      method: methodOf({ method, maxDepth: 2, nsim: 2 }),
      budget: { calls: 12 },
      emit: ({ type }) => void events.push(type),
    })
    expect(result.answer).toBe('the answer')
    expect(longest()).toBeLessThan(210_000)
    expect(result.warnings.join()).toContain('`maxPromptLength`')
    if (!/^best_of_n$|^best_by_reward$|^self_consistency$/.test(method))
      expect(result.warnings.join()).toContain('`maxOptions`')
    expect(events.filter((type) => type === 'warning')).toHaveLength(result.warnings.length)
    expect(new Set(result.warnings).size).toBe(result.warnings.length)
  })

  it.each([
    [7, 1],
    [-3, 0],
    [Infinity, 1],
    [NaN, null],
  ])('holds a grade and a score of %s within 0 and 1', async (wrong, grade) => {
    const parts: SearchParts = {
      proposer: { propose: () => ({ text: '', reflection: '', options: [{ content: 'a', grade: wrong }] }) },
      grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value: wrong, details: 'wrong' })) }) },
      answerer: { answer: () => ({ text: '42' }) },
    }
    const journal = new MemorySearchJournal({ question: 'Q' })
    const { trees } = await search('Q', { ...parts, method: mcts({ maxDepth: 1 }), journal, repair: false })
    expect(trees[0]!.value).toBe(grade ?? 0)
    const { records } = journal.toJSON()
    const outcomes = Object.values(records).map(({ outcome }) => outcome)
    expect(outcomes).toContainEqual(
      expect.objectContaining({ kind: 'grade', grades: [{ value: grade, details: 'wrong' }] }),
    )
    expect(outcomes).toContainEqual(expect.objectContaining({ options: [{ content: 'a', grade }] }))
    if (Number.isNaN(wrong)) return
    const verifier = () => ({ accepted: false, score: wrong })
    const verified = searchSync('Q', { ...parts, method: mcts({ maxDepth: 1 }), verifier })
    expect([verified.verdict!.score, verified.trees[0]!.value]).toEqual([grade, grade])
  })

  it('obeys given bounds, and does not warn within them', () => {
    const parts: SearchParts = {
      proposer: {
        propose: () => ({
          text: '',
          reflection: '',
          options: ['a', 'b'.repeat(50), 'c'].map((content) => ({ content })),
        }),
      },
      grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value: 1, details: '' })) }) },
      answerer: { answer: () => ({ text: '42' }) },
    }
    const method = beam({ maxDepth: 1 })
    expect(searchSync('Q', { ...parts, method }).warnings).toEqual([])
    const { trees, warnings } = searchSync('Q', { ...parts, method, maxOptions: 2, maxOptionLength: 20 })
    expect(trees[0]!.children.map(({ content }) => content)).toEqual([
      'a',
      `${'b'.repeat(12)}\n… 30 characters left out …\n${'b'.repeat(8)}`,
    ])
    expect(warnings).toHaveLength(2)
  })
})

describe('shorten and fitTexts', () => {
  it('leave out the middle of the longest, and leave short texts whole', () => {
    expect(shorten('abcdefghij', 10)).toBe('abcdefghij')
    expect(shorten('abcdefghijk', 10)).toBe('abcdef\n… 1 characters left out …\nhijk')
    const texts = ['short', 'a'.repeat(1000), 'b'.repeat(100), 'c'.repeat(1000)]
    const fitted = fitTexts(texts, 1000)
    expect([fitted[0], fitted[2]]).toEqual([texts[0], texts[2]])
    expect(fitted.join('').length).toBeLessThan(1100)
    expect(fitTexts(texts, 5000)).toBe(texts)
  })
})
