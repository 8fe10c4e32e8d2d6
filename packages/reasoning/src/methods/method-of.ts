import type { AnswerApproach, ReasonMethod } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
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
  beam_search: ({ beamSize, maxDepth, answerApproach }) => beam({ beamSize, maxDepth, answerApproach }),
  dfs: ({ maxDepth, answerApproach }) => dfs({ maxDepth, answerApproach }),
  mcts: ({ nsim, maxDepth, explorationConstant }) => mcts({ nsim, maxDepth, explorationConstant }),
  lats: ({ nsim, maxDepth, explorationConstant }) => lats({ nsim, maxDepth, explorationConstant }),
  best_first: ({ maxDepth }) => bestFirst({ maxDepth }),
  depth_first: ({ maxDepth }) => depthFirst({ maxDepth }),
  graded_mcts: ({ nsim, maxDepth, explorationConstant }) => gradedMcts({ nsim, maxDepth, explorationConstant }),
  best_of_n: ({ nsim }) => bestOfN({ n: nsim }),
}

/** Kinds of the settings of methods; `methodOf` and the search of an agent refuse an unknown method and approach. */
export const METHOD_KINDS: OptionKinds<MethodConfig> = {
  method: kind.any,
  maxDepth: kind.limit(1),
  forestSize: kind.whole(1),
  beamSize: kind.whole(1),
  answerApproach: kind.any,
  nsim: kind.whole(1),
  explorationConstant: kind.number(0),
}

/** The names that `method` of `reasonConfig` and of `methodOf` may have. */
export const METHOD_NAMES: readonly ReasonMethod[] = Object.keys(METHODS) as ReasonMethod[]

/** Returns the method that a configuration names, as a forest when it asks for several trees. */
export function methodOf(config: MethodConfig = {}): Method {
  checkOptions(config, METHOD_KINDS, 'run `methodOf`')
  return methodFrom(config)
}

/** Returns the method like {@link methodOf}; other keys of the config are not looked at. */
export function methodFrom(config: MethodConfig): Method {
  const { method = 'beam_search', forestSize = 1 } = config
  if (!Object.hasOwn(METHODS, method)) {
    throw new XError(
      'unknown-method',
      `the search method \`${method}\` is unknown: choose one of ${METHOD_NAMES.join(', ')}`,
    )
  }
  return forest(METHODS[method](config), { size: forestSize })
}
