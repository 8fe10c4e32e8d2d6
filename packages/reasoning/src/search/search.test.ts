import { describe, expect, it } from 'vitest'
import { beam, searchStream, searchSync, type SearchParts } from '../index.ts'

const OPTIONS = ['a good step', 'an ok step', 'a weak step', 'a bad step']
const GRADES = [0.9, 0.6, 0.4, 0.1]

/** Parts that always say the same. */
function stub(later: <T>(value: T) => T | Promise<T> = (value) => value): SearchParts {
  return {
    proposer: {
      propose: () => later({ text: '', reflection: 'fine', options: OPTIONS.map((content) => ({ content })) }),
    },
    grader: {
      grade: ({ nodes }) =>
        later({
          grades: nodes.map((node) => ({ value: GRADES[OPTIONS.indexOf(node.content)] ?? 0.5, details: 'said' })),
        }),
    },
    answerer: {
      answer: ({ from }) => later({ text: `from ${from.map((node) => node.id).join(' ')}` }),
      merge: ({ answers }) => later({ text: answers.join(' | ') }),
    },
  }
}

describe('a custom grader', () => {
  it('cannot grade outside [0, 1]', () => {
    const given = [7, -1, Number.NaN, 0.5]
    const grader = { grade: () => ({ grades: [{ value: given.shift() ?? null, details: 'so' }] }) }
    const { trees } = searchSync('Q', { ...stub(), grader, method: beam({ maxDepth: 1 }), repair: false })
    expect(trees[0]!.children.map(({ grade }) => grade)).toEqual([1, 0, null, 0.5])
  })
})

describe('kinds of runs', () => {
  it('a stream has the events and the result', async () => {
    const stream = searchStream('What is best?', { ...stub(), method: beam({ maxDepth: 1, beamSize: 1 }) })
    const types: string[] = []
    for (;;) {
      const next = await stream.next()
      if (next.done) {
        expect(next.value.status).toBe('accepted')
        break
      }
      types.push(next.value.type)
    }
    expect(types[0]).toBe('searchStart')
    expect(types.at(-1)).toBe('searchEnd')
    expect(types.filter((type) => type === 'searchNode')).toHaveLength(5)
    expect(types.filter((type) => type === 'searchGrade')).toHaveLength(4)
  })

  it('a promise in a synchronous run is refused, with the kind of job', () => {
    expect(() =>
      searchSync(
        'x',
        stub(async (value) => value),
      ),
    ).toThrow(/expand/)
  })
})
