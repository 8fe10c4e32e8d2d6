import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Vote } from './vote.ts'

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
})
