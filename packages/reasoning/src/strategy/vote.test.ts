import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findMajority, Vote } from './vote.ts'

describe('Vote', () => {
  it('knows the most frequent text, the first among equals, and the votes of the second at any time', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd')), (texts) => {
        const vote = new Vote((text) => text)
        texts.forEach((text, i) => {
          vote.add(text)
          const counts = Map.groupBy(texts.slice(0, i + 1), (each) => each)
          const ranked = [...counts].toSorted(([, one], [, other]) => other.length - one.length)
          const votes = ranked.map(([, equal]) => equal.length)
          const leader = ranked[0]![0]
          expect(vote.majority).toEqual({ index: texts.indexOf(leader), votes: votes[0] })
          expect(vote.secondVotes).toBe(votes[1] ?? 0)
        })
      }),
    )
  })

  it('is one of the texts with the best score so far', () => {
    const entry = fc.record({ text: fc.constantFrom('a', 'b', 'c'), score: fc.constantFrom(0, 0.5, 1) })
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), (entries) => {
        const vote = new Vote((text) => text)
        for (const { text, score } of entries) vote.add(text, score)
        const highest = Math.max(...entries.map(({ score }) => score))
        const best = entries.filter(({ score }) => score === highest)
        const alone = new Vote((text) => text)
        for (const { text } of best) alone.add(text)
        const { index, votes } = alone.majority
        expect(vote.majority).toEqual({ index: entries.indexOf(best[index]!), votes })
        expect(vote.secondVotes).toBe(alone.secondVotes)
      }),
    )
  })
})

describe('findMajority', () => {
  it.each([
    ['a minus sign', ['The answer is 5', 'The answer is -5', 'Answer: -5']],
    ['a minus sign behind a bare label', ['Answer 5', 'Answer -5', '\u22125']],
    ['the end of a fence', ['Sum:\n```\n7\n```', '```\n42\n```', '42']],
    ['the end of a formula', ['\\[\n7\n\\]', '\\[\n42\n\\]', '42']],
    ['the end of a block', ['\\begin{align}\n7\n\\end{align}', '<answer>\n42\n</answer>', '42']],
    ['emphasis around a full stop', ['7', '**42.**', '42']],
    ['emphasis around a label', ['7', '**Answer**: 42', 'Answer - 42']],
  ])('reads %s', (_, texts) => {
    expect(findMajority(texts)).toEqual({ index: 1, votes: 2 })
  })

  it('reads the last line of texts without letters and digits', () => {
    expect(findMajority(['+', '?\n-', 'x\n-', '-'])).toEqual({ index: 1, votes: 2 })
  })
})
