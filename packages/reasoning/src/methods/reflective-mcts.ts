import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import { searchMethod } from '../strategy/search-method.ts'
import type { Method } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { chooseByUct, type Branch } from './uct.ts'

/** Options of `reflectiveMcts`. */
export interface ReflectiveMctsOptions {
  /** Maximum number of simulations; default 10. */
  nsim?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Weight of unexplored branches; default 1. */
  explorationConstant?: number | undefined
  /** Number of proposals for each node, asked at once; default 1. */
  samples?: number | undefined
  /** Weight in [0, 1] of an option's grade against the share of proposals with that option; default 0.5, or 1 with one sample. */
  gradeWeight?: number | undefined
  /** Maximum number of reflections on failed attempts in a prompt; default 3. */
  reflections?: number | undefined
  /** Grade in [0, 1] from which an answer is accepted without a verifier; default 0.85. */
  acceptAt?: number | undefined
}

/** Kinds of the options of `reflectiveMcts`. */
export const REFLECTIVE_MCTS_KINDS: OptionKinds<ReflectiveMctsOptions> = {
  nsim: kind.whole(1),
  maxDepth: kind.limit(1),
  explorationConstant: kind.number(0),
  samples: kind.whole(1),
  gradeWeight: kind.number(0),
  reflections: kind.whole(0),
  acceptAt: kind.finite,
}

/**
 * LATS as its paper describes it: the value of a step is its grade and the share of samples that proposed it, a simulation
 * follows the best values, the verifier or the grader rewards its answer, a failed answer is reflected on in words for later
 * simulations, and a failed path is not walked again.
 */
export function reflectiveMcts(options: ReflectiveMctsOptions = {}): Method {
  checkOptions(options, REFLECTIVE_MCTS_KINDS, 'make a reflective tree search')
  const { nsim = 10, maxDepth = 4, explorationConstant = 1, samples = 1, reflections = 3, acceptAt = 0.85 } = options
  const gradeWeight = samples === 1 ? 1 : (options.gradeWeight ?? 0.5)
  const method = searchMethod(function* (search) {
    const lessons: string[] = []
    const failed = new Set<ThinkNode>()
    const valueOf = (node: ThinkNode): number =>
      gradeWeight * (node.grade ?? 0.5) + ((1 - gradeWeight) * search.timesProposed(node)) / samples
    for (let i = 0; i < nsim && !failed.has(search.root); i++) {
      const context = lessons.length > 0 ? lessons.slice(-reflections).join('\n\n') : null
      let node = search.root
      while (!search.isEnd(node, maxDepth)) {
        if (node.children.length === 0) {
          const options = yield* search.expand(
            Array.from({ length: samples }, () => node),
            { context },
          )
          yield* search.gradeTogether(options.flat(), { context })
          for (const option of options.flat()) Object.assign(option, { visits: 1, value: valueOf(option) })
        }
        const open = node.children.filter((child) => !failed.has(child))
        const next = open[chooseByUct(open.map(toBranch), node.visits, explorationConstant) ?? 0]
        if (!next) break
        node = next
      }
      const [answer] = yield* search.answer([node])
      if (answer) yield* search.grade([answer], { context })
      const reward = answer?.grade ?? 0
      if (answer && (search.isVerified(answer) || (!search.task.verified && reward >= acceptAt))) return answer
      node.backpropagate(reward)
      failed.add(node)
      for (let above = node.parent; above?.children.every((child) => failed.has(child)); above = above.parent)
        failed.add(above)
      if (answer && reflections > 0 && i + 1 < nsim) {
        const note = `The answer of this attempt was rated ${reward.toFixed(2)}: ${answer.ratingDetails}`
        const [reflection] = yield* search.reflect([answer], { context: note })
        if (reflection) lessons.push(`### Attempt ${i + 1}\n${node.steps}\n${note}\nReflection: ${reflection}`)
      }
    }
    return null
  })
  const settings = { nsim, maxDepth, explorationConstant, samples, reflections, acceptAt, gradeWeight }
  return withFingerprint(method, 'reflective-mcts', settings)
}

const toBranch = ({ visits, value }: ThinkNode): Branch => ({ visits, pending: 0, total: visits * value })
