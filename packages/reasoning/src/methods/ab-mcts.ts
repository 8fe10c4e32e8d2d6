import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { SearchContext, Wave } from '../strategy/search-context.ts'
import { searchMethod } from '../strategy/search-method.ts'
import type { Method } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Beliefs } from './beliefs.ts'

/** Options of `abMcts`. */
export interface AbMctsOptions {
  /** Maximum number of steps, each of which asks for options or for an answer; default 20. */
  nsim?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Number of steps at once; default 1. */
  width?: number | undefined
  /** Grade in [0, 1] from which an answer is accepted without a verifier; default 0.85. */
  acceptAt?: number | undefined
  /** Number of observations that a reward counts as: the higher, the less it explores; default 10. */
  rewardWeight?: number | undefined
  /** Names of the models that propose; each expansion asks the one that promises most. Default: the proposer's only one. */
  models?: readonly string[] | undefined
}

const KINDS: OptionKinds<AbMctsOptions> = {
  nsim: kind.whole(1),
  maxDepth: kind.limit(1),
  width: kind.whole(1),
  acceptAt: kind.finite,
  rewardWeight: kind.number(0),
  models: kind.list,
}

/**
 * Adaptive branching (AB-MCTS): at every node it decides by its beliefs whether to go wider, with further options, or
 * deeper, into one of the children; with several models it decides in the same way which of them to ask.
 */
export function abMcts(options: AbMctsOptions = {}): Method {
  checkOptions(options, KINDS, 'make an adaptive branching search')
  const { nsim = 20, maxDepth = 4, width = 1, acceptAt = 0.85, models = [], rewardWeight = 10 } = options
  const method = searchMethod(function* (search) {
    const beliefs = new Beliefs((name) => search.random(name), rewardWeight)
    for (let done = 0; done < nsim; done += width) {
      const walks = Array.from({ length: Math.min(width, nsim - done) }, (_, i) =>
        walk(search, beliefs, { maxDepth, models, turn: `${done + i}` }),
      )
      for (const answer of yield* search.together(walks))
        if (answer && (search.isVerified(answer) || (!search.task.verified && (answer.grade ?? 0) >= acceptAt)))
          return answer
    }
    return null
  })
  return withFingerprint(method, 'ab-mcts', options)
}

interface WalkSettings {
  readonly maxDepth: number
  readonly models: readonly string[]
  /** Tells the random numbers of the walks apart. */
  readonly turn: string
}

/** Walks down to where it pays most to ask for something, and asks; returns the answer if it asked for one. */
function* walk(search: SearchContext, beliefs: Beliefs, settings: WalkSettings): Wave<ThinkNode | null> {
  const { maxDepth, models, turn } = settings
  let node = search.root
  for (let next: ThinkNode | null = node; next && !search.isEnd(node, maxDepth); node = next ?? node) {
    const wider = { key: `wider:${node.id}`, node: null }
    const deeper = node.children.filter(({ grade }) => grade !== null).map((child) => ({ key: child.id, node: child }))
    next = beliefs.choose([wider, ...deeper], turn).node
  }
  const isEnd = search.isEnd(node, maxDepth)
  const model =
    isEnd || models.length === 0
      ? undefined
      : beliefs.choose(
          models.map((key) => ({ key })),
          turn,
        ).key
  const made = isEnd ? yield* search.answer([node]) : (yield* search.expand([node], { model }))[0]!
  const fresh = made.filter((child) => child !== null)
  yield* search.gradeTogether(fresh)
  const reward = Math.max(0, ...fresh.map(({ grade }) => grade ?? 0))
  for (const child of fresh) if (child.grade !== null) beliefs.learn(child.id, child.grade)
  for (const passed of node.path) beliefs.learn(passed.id, reward)
  if (!isEnd) beliefs.learn(`wider:${node.id}`, reward)
  if (model !== undefined) beliefs.learn(model, reward)
  return isEnd ? (made[0] ?? null) : null
}
