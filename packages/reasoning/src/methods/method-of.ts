import type { AnswerApproach, ReasonMethod } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { Method } from '../strategy/strategy.ts'
import { beam, dfs } from './beam.ts'
import { bestOfN } from './best-of-n.ts'
import { forest } from './forest.ts'
import { bestFirst, depthFirst } from './frontier.ts'
import { gradedMcts } from './graded-mcts.ts'
import { lats, mcts } from './mcts.ts'

/** A method by its name, with the settings that AG2 calls `reason_config`; every method reads the ones it has. */
export interface MethodConfig {
  /** Default `beam_search`. */
  method?: ReasonMethod | undefined
  /** Depth of the tree; default 4. */
  maxDepth?: number | undefined
  /** Number of independent trees; default 1. */
  forestSize?: number | undefined
  /** Paths kept per level (`beam_search`); default 3. */
  beamSize?: number | undefined
  /** `beam_search` and `dfs`; default `pool`. */
  answerApproach?: AnswerApproach | undefined
  /** Simulations: 3 by default in `mcts` and `lats`, 20 in `graded_mcts`; answers in `best_of_n`: 5. */
  nsim?: number | undefined
  /** Weight of unexplored branches; default 1.41 in `mcts` and `lats`, 1 in `graded_mcts`. */
  explorationConstant?: number | undefined
}

const METHODS: Readonly<Record<ReasonMethod, (config: MethodConfig) => Method>> = {
  beam_search: (config) => beam(config),
  dfs: (config) => dfs(config),
  mcts: (config) => mcts(config),
  lats: (config) => lats(config),
  best_first: (config) => bestFirst(config),
  depth_first: (config) => depthFirst(config),
  graded_mcts: (config) => gradedMcts(config),
  best_of_n: (config) => bestOfN({ n: config.nsim }),
}

/** The names that `method` of `reasonConfig` and of `methodOf` may have. */
export const METHOD_NAMES: readonly ReasonMethod[] = Object.keys(METHODS) as ReasonMethod[]

/** Returns the method that a configuration names, as a forest when it asks for several trees. */
export function methodOf(config: MethodConfig = {}): Method {
  const { method = 'beam_search', forestSize = 1 } = config
  if (!Object.hasOwn(METHODS, method)) {
    throw new XError(
      'unknown-method',
      `the search method \`${method}\` is unknown: choose one of ${METHOD_NAMES.join(', ')}`,
    )
  }
  return forest(METHODS[method](config), { size: forestSize })
}
