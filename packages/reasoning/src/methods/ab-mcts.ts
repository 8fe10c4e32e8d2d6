import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { SearchContext, Wave } from '../strategy/search-context.ts'
import { searchMethod } from '../strategy/search-method.ts'
import type { Method } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Belief, chooseByDraws, type Choice } from './beliefs.ts'

/** Options of `abMcts`. */
export interface AbMctsOptions {
  /** Maximum number of steps, each for options or for an answer; default 20. */
  nsim?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Number of steps at once; default 1. */
  width?: number | undefined
  /** Grade in [0, 1] from which an answer is accepted without a verifier; default 0.85. */
  acceptAt?: number | undefined
  /** Number of observations that a reward counts as; with more, the search explores less. Default 10. */
  rewardWeight?: number | undefined
  /** Names of the models that propose; each expansion asks the most promising one. Default: the proposer's only model. */
  models?: readonly string[] | undefined
}

/** Kinds of the options of `abMcts`. */
export const AB_MCTS_KINDS: OptionKinds<AbMctsOptions> = {
  nsim: kind.whole(1),
  maxDepth: kind.limit(1),
  width: kind.whole(1),
  acceptAt: kind.finite,
  rewardWeight: kind.number(0),
  models: kind.list,
}

/**
 * Adaptive branching (AB-MCTS): at every node the search decides by its beliefs whether to go wider, with further options,
 * or deeper, into one of the children. With several models it chooses the model to ask in the same way.
 */
export function abMcts(options: AbMctsOptions = {}): Method {
  checkOptions(options, AB_MCTS_KINDS, 'make an adaptive branching search')
  const { nsim = 20, maxDepth = 4, width = 1, acceptAt = 0.85, models = [], rewardWeight = 10 } = options
  const method = searchMethod(function* (search) {
    const beliefs = new Beliefs(models)
    for (let done = 0; done < nsim; done += width) {
      const walks = Array.from({ length: Math.min(width, nsim - done) }, (_, i) =>
        walk(search, beliefs, { maxDepth, rewardWeight, turn: done + i }),
      )
      for (const answer of yield* search.together(walks))
        if (answer && (search.isVerified(answer) || (!search.task.verified && (answer.grade ?? 0) >= acceptAt)))
          return answer
    }
    return null
  })
  // The random draws are part of the method; version 1 drew other numbers.
  return withFingerprint(method, 'ab-mcts-2', { nsim, maxDepth, width, acceptAt, models, rewardWeight })
}

/** A choice at a node: one of its children, or further options (null). */
interface Arm {
  readonly belief: Belief
  readonly node: ThinkNode | null
}

/** The beliefs of one search about nodes and models. */
class Beliefs {
  /** The models to choose from; empty for the proposer's only one. */
  readonly models: readonly { readonly name: string; readonly belief: Belief }[]
  /** The choices at each node: further options first, then the graded children in their order. */
  readonly #arms = new Map<ThinkNode, [wider: Arm, ...deeper: Arm[]]>()
  readonly #nodes = new Map<ThinkNode, Belief>()

  constructor(models: readonly string[]) {
    this.models = models.map((name) => ({ name, belief: new Belief() }))
  }

  armsOf(node: ThinkNode): [wider: Arm, ...deeper: Arm[]] {
    let arms = this.#arms.get(node)
    if (!arms) this.#arms.set(node, (arms = [{ belief: new Belief(), node: null }]))
    return arms
  }

  of(node: ThinkNode): Belief {
    let belief = this.#nodes.get(node)
    if (!belief) this.#nodes.set(node, (belief = new Belief()))
    return belief
  }
}

interface WalkSettings {
  readonly maxDepth: number
  readonly rewardWeight: number
  /** Number of the walk, by which its random numbers differ from those of others. */
  readonly turn: number
}

/** Walks down to the most promising node, and asks for options or an answer there; returns the answer, if any. */
function* walk(search: SearchContext, beliefs: Beliefs, settings: WalkSettings): Wave<ThinkNode | null> {
  const { maxDepth, rewardWeight, turn } = settings
  const choose = <T extends Choice>(choices: readonly T[], name: string): T =>
    chooseByDraws(choices, search.random(`${turn} ${name}`))
  let node = search.root
  for (let next: ThinkNode | null = node; next && !search.isEnd(node, maxDepth); node = next ?? node)
    next = choose(beliefs.armsOf(node), node.id).node
  const isEnd = search.isEnd(node, maxDepth)
  const model = isEnd || beliefs.models.length === 0 ? null : choose(beliefs.models, 'model')
  const children = isEnd ? yield* search.answer([node]) : (yield* search.expand([node], { model: model?.name }))[0]!
  const fresh = children.filter((child) => child !== null)
  yield* search.gradeTogether(fresh)
  const graded = fresh.filter(({ grade }) => grade !== null)
  for (const child of graded) beliefs.of(child).learn(child.grade!, rewardWeight)
  const reward = Math.max(0, ...graded.map(({ grade }) => grade!))
  for (const ancestor of node.path) beliefs.of(ancestor).learn(reward, rewardWeight)
  if (isEnd) return children[0] ?? null
  const arms = beliefs.armsOf(node)
  arms[0].belief.learn(reward, rewardWeight)
  arms.push(...graded.map((child) => ({ belief: beliefs.of(child), node: child })))
  model?.belief.learn(reward, rewardWeight)
  return null
}
