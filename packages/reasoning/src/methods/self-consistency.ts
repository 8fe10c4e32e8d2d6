import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import { searchMethod } from '../strategy/search-method.ts'
import type { Method } from '../strategy/strategy.ts'
import { Vote } from '../strategy/vote.ts'
import type { ThinkNode } from '../tree/think-node.ts'

/** Options of `selfConsistency`. */
export interface SelfConsistencyOptions {
  /** Maximum number of answers; default 20. */
  n?: number | undefined
  /** Number of answers in each round; the search may stop after a round. Default 4. */
  atOnce?: number | undefined
  /** Probability in [0, 1] of the right majority at which the search stops; default 0.95. With 1 it stops only when certain. */
  confidence?: number | undefined
  /** Normalizes an answer for the vote; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
}

/** Kinds of the options of `selfConsistency`. */
export const SELF_CONSISTENCY_KINDS: OptionKinds<SelfConsistencyOptions> = {
  n: kind.whole(1),
  atOnce: kind.whole(1),
  confidence: kind.number(0),
  normalize: kind.call,
}

/** Returns the most frequent of several answers, and stops asking as soon as the vote is decided. */
export function selfConsistency(options: SelfConsistencyOptions = {}): Method {
  checkOptions(options, SELF_CONSISTENCY_KINDS, 'make a self-consistent answer')
  const { n = 20, atOnce = 4, confidence = 0.95, normalize } = options
  const method = searchMethod(function* (search) {
    const vote = new Vote(normalize)
    const answers: ThinkNode[] = []
    for (let askedCount = 0; askedCount < n;) {
      const count = Math.min(atOnce, n - askedCount)
      for (const answer of yield* search.answer(Array.from({ length: count }, () => search.root))) {
        if (!answer) continue
        if (search.isVerified(answer)) return answer
        answers.push(answer)
        // A verifier that refused it has graded it.
        vote.add(answer.content, answer.grade ?? undefined)
      }
      askedCount += count
      const leader = answers[vote.majority.index]
      if (!leader) continue
      search.prefer(leader)
      const [first, second] = [vote.majority.votes, vote.secondVotes]
      // By rounding, many equal votes seem certain.
      const isSure = confidence < 1 && chanceOfLead(first, second) >= confidence
      if (first - second > n - askedCount || isSure) break
    }
    return null
  })
  return withFingerprint(method, 'self-consistency', { n, atOnce, confidence, normalize })
}

/** Returns the probability that the first of two answers is the more frequent one, from the votes of both. */
function chanceOfLead(first: number, second: number): number {
  // The posterior of a share is a beta distribution; its mass above one half is a sum of binomial probabilities.
  const flips = first + second + 1
  let sum = 0
  let term = 0.5 ** flips
  for (let heads = 0; heads <= first; heads++) {
    sum += term
    term *= (flips - heads) / (heads + 1)
  }
  return first + second === 0 ? 0 : sum
}
