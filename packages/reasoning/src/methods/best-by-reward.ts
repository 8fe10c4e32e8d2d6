import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { SearchContext, Wave } from '../strategy/search-context.ts'
import { searchMethod } from '../strategy/search-method.ts'
import type { Method } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'

/** Options of `bestByReward`. */
export interface BestByRewardOptions {
  /** Number of answers; default 5. */
  n?: number | undefined
  /** Rates each answer as a whole (`outcome`), or each of its steps (`process`); default `outcome`. */
  rewards?: 'outcome' | 'process' | undefined
  /** Splits an answer into steps; default: its lines. */
  stepsOf?: ((answer: string) => readonly string[]) | undefined
}

/** Kinds of the options of `bestByReward`. */
export const BEST_BY_REWARD_KINDS: OptionKinds<BestByRewardOptions> = {
  n: kind.whole(1),
  rewards: kind.oneOf('outcome', 'process'),
  stepsOf: kind.call,
}

/**
 * Best of n by reward: answers several times at once and returns the answer that the grader rates best, or the first that
 * the verifier accepts. By `process`, the reward of an answer is the lowest grade of a step.
 */
export function bestByReward(options: BestByRewardOptions = {}): Method {
  checkOptions(options, BEST_BY_REWARD_KINDS, 'make a best-of-n search by reward')
  const { n = 5, rewards = 'outcome', stepsOf = linesOf } = options
  const method = searchMethod(function* (search) {
    const answers = (yield* search.answer(Array.from({ length: n }, () => search.root))).filter((leaf) => leaf !== null)
    if (answers.some((answer) => search.isVerified(answer))) return null
    if (rewards === 'outcome') yield* search.grade(answers)
    else {
      // An answer that the verifier refused has its score.
      const ungraded = answers.filter(({ grade }) => grade === null)
      yield* search.together(ungraded.map((answer) => gradeSteps(search, answer, stepsOf(answer.content))))
    }
    const graded = answers.toSorted((a, b) => (b.grade ?? -1) - (a.grade ?? -1))
    return graded[0] ?? null
  })
  return withFingerprint(method, 'best-by-reward', { n, rewards, stepsOf })
}

function* gradeSteps(search: SearchContext, answer: ThinkNode, steps: readonly string[]): Wave<void> {
  const nodes: ThinkNode[] = []
  for (const step of steps) nodes.push(search.tree.add(nodes.at(-1) ?? search.root, step))
  const grades = yield* search.grade(nodes)
  const known = grades.filter((grade) => grade !== null)
  const lowest = nodes[grades.indexOf(Math.min(...known))]
  if (lowest) search.tree.grade(answer, lowest.grade, `the lowest grade of a step: ${lowest.content}`)
}

const linesOf = (answer: string): string[] => answer.split('\n').filter((line) => line.trim() !== '')
