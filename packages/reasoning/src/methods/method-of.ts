import type { ReasonConfig, ReasonMethod } from '@x/interfaces'
import { XError } from '@x/kernel'
import { beam, dfs } from './beam.ts'
import { bestOfN } from './best-of-n.ts'
import { forest } from './forest.ts'
import { bestFirst, depthFirst } from './frontier.ts'
import { gradedMcts } from './graded-mcts.ts'
import { lats, mcts } from './mcts.ts'
import type { Method } from '../strategy/strategy.ts'

const METHODS: Readonly<Record<ReasonMethod, (config: ReasonConfig) => Method>> = {
  beam_search: (config) => beam(config),
  dfs: (config) => dfs(config),
  mcts: (config) => mcts(config),
  lats: (config) => lats(config),
  best_first: (config) => bestFirst(config),
  depth_first: (config) => depthFirst(config),
  graded_mcts: (config) => gradedMcts(config),
  best_of_n: (config) => bestOfN({ n: config.nsim }),
}

/** The names that `method` may have. */
export const METHOD_NAMES: readonly ReasonMethod[] = Object.keys(METHODS) as ReasonMethod[]

/** The method that a configuration names, as a forest when it asks for several trees; `nsim` is the count of `best_of_n`. */
export function methodOf(config: ReasonConfig = {}): Method {
  const { method = 'beam_search', forestSize = 1 } = config
  if (!Object.hasOwn(METHODS, method)) {
    throw new XError('unknown-method', `a search was asked for by \`${method}\`: there are ${METHOD_NAMES.join(', ')}`)
  }
  return forest(METHODS[method](config), { size: forestSize })
}
