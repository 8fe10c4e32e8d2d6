import { describe, expect, it } from 'vitest'
import { bestFirst, mcts, search, searchSync, type SearchParts } from '../index.ts'

const parts: SearchParts = {
  method: bestFirst({ maxDepth: 2, expansions: 3, acceptAt: 0.4, confirm: 0 }),
  proposer: { propose: () => ({ text: '', reflection: '', options: [{ content: 'left' }, { content: 'right' }] }) },
  grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value: 0.5, details: '' })) }) },
  answerer: { answer: () => ({ text: '42' }) },
}

/** Parts that give one result for everything, whatever the types say. */
const proposing = (result: unknown): object => ({ proposer: { propose: () => result } })
const grading = (result: unknown): object => ({ grader: { grade: () => result } })
const answering = (result: unknown): object => ({ answerer: { answer: () => result } })

describe('a custom part with a wrong result', () => {
  it.each<[string, object, RegExp]>([
    [
      'no proposal',
      proposing(undefined),
      /^the proposer .* it returned undefined; return \{ text, reflection, options/,
    ],
    ['options that are texts', proposing({ text: '', reflection: '', options: ['left'] }), /`options\[0\]\.content`/],
    ['no list of options', proposing({ text: '', reflection: '', options: null }), /`options` is not a list/],
    ['no reflection', proposing({ text: '', options: [] }), /`reflection` is not a text/],
    ['no text', proposing({ reflection: '', options: [] }), /`text` is not a text/],
    [
      'an output that is none',
      proposing({ text: '', reflection: '', options: [{ content: 'a', output: 7 }] }),
      /output/,
    ],
    ['a grade in words', proposing({ text: '', reflection: '', options: [{ content: 'a', grade: '9' }] }), /grade/],
    ['a list for a grading', grading([0.5]), /^the grader .* `grades` is not a list/],
    ['numbers for grades', grading({ grades: [0.5, 0.5] }), /`grades\[0\]\.value`/],
    ['fewer grades', grading({ grades: [] }), /0 grades for 2 nodes/],
    ['grades without details', grading({ grades: [{ value: 1 }, { value: 1 }] }), /`grades\[0\]\.details`/],
    [
      'grades in words',
      grading({
        grades: [
          { value: '1', details: '' },
          { value: 1, details: '' },
        ],
      }),
      /value/,
    ],
    ['a text for an answer', answering('42'), /^the answerer .* it returned string; return \{ text \}/],
    ['a number for a text', answering({ text: 42 }), /`text` is not a text/],
  ])('fails its calls and not the search: %s', async (_, more, message) => {
    for (const result of [searchSync('Q', { ...parts, ...more }), await search('Q', { ...parts, ...more })]) {
      expect(result.failures[0]).toMatchObject({ code: 'invalid-result', message: expect.stringMatching(message) })
      expect(result.answer).toBe('answerer' in more ? null : '42')
      if (result.answer === null) expect(result.reason).toMatch(message)
    }
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a word', 'yes'],
    ['no number', Number.NaN],
    ['half a verdict', { score: 1 }],
    ['a score in words', { accepted: true, score: 'high' }],
    ['a reason that is none', { accepted: true, reason: 7 }],
  ])('is no verdict, and the answer stays: %s', async (_, verdict) => {
    const sync = searchSync('Q', { ...parts, verifier: () => verdict as boolean })
    const later = async (): Promise<boolean> => await Promise.resolve(verdict as boolean)
    for (const result of [sync, await search('Q', { ...parts, verifier: later })]) {
      expect(result).toMatchObject({ answer: '42', status: 'exhausted' })
      expect(result.verdict).toMatchObject({ accepted: false, reason: expect.stringContaining('return true, false') })
    }
  })

  it('counts a call with a wrong usage as one call of unknown size', () => {
    const used = { calls: -5, promptTokens: Number.NaN, completionTokens: 3 }
    const answerer = { answer: () => ({ text: '42', used: used as never }) }
    const result = searchSync('Q', { ...parts, answerer })
    expect(result.used).toEqual({ ...searchSync('Q', parts).used, promptTokens: 0, completionTokens: 3, cost: 0 })
  })
})

it.each([
  ['nothing', undefined, 'undefined'],
  ['an object without a text', Object.create(null), '{}'],
  [
    'an object in a circle',
    Object.assign(
      {},
      {
        get self(): unknown {
          return this
        },
      },
    ),
    'an error that cannot be told',
  ],
  ['a message that is no text', Object.assign(new Error('x'), { message: { code: 7 } }), '{"code":7}'],
])('a part or a verifier that throws %s fails alone', async (_, thrown, message) => {
  const fail = (): never => {
    throw thrown
  }
  const failing = await search('Q', { ...parts, proposer: { propose: fail } })
  expect(failing).toMatchObject({ answer: '42', failures: [{ message }, {}, {}] })
  expect(await search('Q', { ...parts, verifier: fail })).toMatchObject({
    answer: '42',
    verdict: { accepted: false, reason: `the verifier failed: ${message}` },
  })
})

it('keeps the texts among the warnings of a part', () => {
  for (const [warnings, kept] of [
    ['slow', []],
    [7, []],
    [['slow', 7], ['slow']],
  ])
    expect(searchSync('Q', { ...parts, ...answering({ text: '42', warnings }) })).toMatchObject({
      answer: '42',
      warnings: kept,
    })
})

it('refuses a question that is no text, and a journal that is read later', () => {
  expect(() => searchSync(undefined as never, parts)).toThrow(/its question is not a text/)
  const journal = { get: async () => await Promise.resolve(undefined), set: () => {} }
  expect(() => searchSync('Q', { ...parts, journal: journal as never })).toThrow(/its `get` gave a promise/)
})

it.each([1, -0.1, Number.NaN, '0.5' as never])('a random number %s is refused', (number) => {
  expect(() => searchSync('Q', { ...parts, method: mcts(), random: () => number })).toThrow(/at least 0 and below 1/)
})
