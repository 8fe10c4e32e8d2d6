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
  /** Number of answers asked for at once, after which it may stop; default 4. */
  atOnce?: number | undefined
  /** Probability in [0, 1] of having the right majority at which it stops; default 0.95. With 1 it stops only when certain. */
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

/** Takes the most frequent of several answers, and asks for no more of them than the vote needs to be decided. */
export function selfConsistency(options: SelfConsistencyOptions = {}): Method {
  checkOptions(options, SELF_CONSISTENCY_KINDS, 'make a self-consistent answer')
  const { n = 20, atOnce = 4, confidence = 0.95, normalize } = options
  const method = searchMethod(function* (search) {
    const vote = new Vote(normalize)
    const answers: ThinkNode[] = []
    for (let asked = 0; asked < n;) {
      const count = Math.min(atOnce, n - asked)
      for (const answer of yield* search.answer(Array.from({ length: count }, () => search.root))) {
        if (!answer) continue
        if (search.isVerified(answer)) return answer
        answers.push(answer)
        vote.add(answer.content)
      }
      asked += count
      const leader = answers[vote.majority.index]
      if (!leader) continue
      search.prefer(leader)
      const [first, second] = [vote.majority.votes, vote.secondVotes]
      if (first - second > n - asked || chanceOfLead(first, second) >= confidence) break
    }
    return null
  })
  return withFingerprint(method, 'self-consistency', { n, atOnce, confidence, normalize })
}

/** The probability that the first of two answers is the more frequent one, by its votes and those of the second. */
function chanceOfLead(first: number, second: number): number {
  // The posterior of a share is a beta distribution; its part above one half is a sum of binomial probabilities.
  const flips = first + second + 1
  let sum = 0
  let term = 0.5 ** flips
  for (let heads = 0; heads <= first; heads++) {
    sum += term
    term *= (flips - heads) / (heads + 1)
  }
  return first + second === 0 ? 0 : sum
}
