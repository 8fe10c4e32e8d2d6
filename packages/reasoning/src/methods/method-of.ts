import type { AnswerApproach, ReasonMethod } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, nearestName, type OptionKinds } from '@x/kernel/options'
import type { Method } from '../strategy/strategy.ts'
import { abMcts, AB_MCTS_KINDS, type AbMctsOptions } from './ab-mcts.ts'
import { auto, AUTO_KINDS, type AutoOptions } from './auto.ts'
import { beam, BEAM_KINDS, dfs, DFS_KINDS, type BeamOptions } from './beam.ts'
import { bestByReward, BEST_BY_REWARD_KINDS, type BestByRewardOptions } from './best-by-reward.ts'
import { bestOfN, BEST_OF_N_KINDS } from './best-of-n.ts'
import { forest, FOREST_KINDS, type ForestOptions } from './forest.ts'
import { FRONTIER_KINDS, type FrontierOptions } from './frontier-options.ts'
import { bestFirst, depthFirst } from './frontier.ts'
import { GRADED_MCTS_KINDS, gradedMcts, type GradedMctsOptions } from './graded-mcts.ts'
import { lats, LATS_KINDS, mcts, MCTS_KINDS, type MctsOptions } from './mcts.ts'
import { reflectiveMcts, REFLECTIVE_MCTS_KINDS, type ReflectiveMctsOptions } from './reflective-mcts.ts'
import { selfConsistency, SELF_CONSISTENCY_KINDS, type SelfConsistencyOptions } from './self-consistency.ts'

/**
 * A method by its name, or a method of the engine, and its settings. Every method reads the settings of AG2 that it has; any
 * other option of another method is refused.
 */
export interface MethodConfig
  extends
    FrontierOptions,
    Pick<BeamOptions, 'gradeSamples'>,
    Pick<MctsOptions, 'virtualLoss'>,
    Pick<GradedMctsOptions, 'widenEvery'>,
    Pick<AutoOptions, 'minGain' | 'prior'>,
    Pick<AbMctsOptions, 'rewardWeight' | 'models'>,
    Pick<ReflectiveMctsOptions, 'samples' | 'gradeWeight' | 'reflections'>,
    Pick<SelfConsistencyOptions, 'atOnce' | 'confidence'>,
    Pick<BestByRewardOptions, 'rewards' | 'stepsOf'>,
    Pick<ForestOptions, 'merge'> {
  /** A name, or a method with its options, such as `bestFirst({ width: 4 })`; default `beam_search`. */
  method?: ReasonMethod | Method | undefined
  /** Number of independent trees; default 1. */
  forestSize?: number | undefined
  /** Paths kept per level (`beam_search`); default 3. */
  beamSize?: number | undefined
  /** `beam_search` and `dfs`; default `pool`. */
  answerApproach?: AnswerApproach | undefined
  /**
   * Simulations: 3 by default in `mcts` and `lats`, 20 in `graded_mcts` and `ab_mcts`, 10 in `reflective_mcts`. Answers: 5
   * by default in `best_of_n` and `best_by_reward`, at most 20 in `self_consistency`.
   */
  nsim?: number | undefined
  /** Weight of unexplored branches; default 1.41 in `mcts` and `lats`, 1 in `graded_mcts` and `reflective_mcts`. */
  explorationConstant?: number | undefined
}

/** A named method and the options that it reads. */
interface NamedMethod {
  readonly keys: readonly string[]
  make(config: MethodConfig): Method
}

const named = <O extends object>(make: (options: O) => Method, kinds: OptionKinds<O>): NamedMethod => {
  const keys = Object.keys(kinds)
  return { keys, make: (config) => make(pick(config, keys) as O) }
}

/** Makes a named method with `nsim` in place of its option `n`, the number of answers. */
const counted = <O extends { n?: number | undefined }>(
  make: (options: O) => Method,
  kinds: OptionKinds<O>,
): NamedMethod => {
  const keys = Object.keys(kinds).filter((key) => key !== 'n')
  return { keys: ['nsim', ...keys], make: ({ nsim, ...config }) => make({ ...pick(config, keys), n: nsim } as O) }
}

const pick = (config: object, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(config).filter(([key]) => keys.includes(key)))

const METHODS_BY_NAME: Readonly<Record<ReasonMethod, NamedMethod>> = {
  beam_search: named(beam, BEAM_KINDS),
  dfs: named(dfs, DFS_KINDS),
  mcts: named(mcts, MCTS_KINDS),
  lats: named(lats, LATS_KINDS),
  best_first: named(bestFirst, FRONTIER_KINDS),
  depth_first: named(depthFirst, FRONTIER_KINDS),
  graded_mcts: named(gradedMcts, GRADED_MCTS_KINDS),
  auto: named(auto, AUTO_KINDS),
  ab_mcts: named(abMcts, AB_MCTS_KINDS),
  reflective_mcts: named(reflectiveMcts, REFLECTIVE_MCTS_KINDS),
  best_of_n: counted(bestOfN, BEST_OF_N_KINDS),
  best_by_reward: counted(bestByReward, BEST_BY_REWARD_KINDS),
  self_consistency: counted(selfConsistency, SELF_CONSISTENCY_KINDS),
}

/** Settings of AG2, which it ignores for methods that do not have them. */
const AG2_KINDS: OptionKinds<
  Pick<MethodConfig, 'maxDepth' | 'beamSize' | 'answerApproach' | 'nsim' | 'explorationConstant'>
> = {
  maxDepth: kind.limit(1),
  beamSize: kind.whole(1),
  answerApproach: kind.any,
  nsim: kind.whole(1),
  explorationConstant: kind.number(0),
}

/** Kinds of the settings of methods; an unknown method or approach is refused later, by `methodOf` and the search of an agent. */
export const METHOD_KINDS: OptionKinds<MethodConfig> = {
  ...FRONTIER_KINDS,
  gradeSamples: BEAM_KINDS.gradeSamples,
  virtualLoss: MCTS_KINDS.virtualLoss,
  widenEvery: GRADED_MCTS_KINDS.widenEvery,
  minGain: AUTO_KINDS.minGain,
  prior: AUTO_KINDS.prior,
  rewardWeight: AB_MCTS_KINDS.rewardWeight,
  models: AB_MCTS_KINDS.models,
  samples: REFLECTIVE_MCTS_KINDS.samples,
  gradeWeight: REFLECTIVE_MCTS_KINDS.gradeWeight,
  reflections: REFLECTIVE_MCTS_KINDS.reflections,
  atOnce: SELF_CONSISTENCY_KINDS.atOnce,
  confidence: SELF_CONSISTENCY_KINDS.confidence,
  rewards: BEST_BY_REWARD_KINDS.rewards,
  stepsOf: BEST_BY_REWARD_KINDS.stepsOf,
  merge: FOREST_KINDS.merge,
  forestSize: kind.whole(1),
  ...AG2_KINDS,
  method: kind.any,
}

/** The names that `method` of `reasonConfig` and of `methodOf` may have. */
export const METHOD_NAMES: readonly ReasonMethod[] = Object.keys(METHODS_BY_NAME) as ReasonMethod[]

/** Returns the method of a configuration, as a forest if it has several trees. */
export function methodOf(config: MethodConfig = {}): Method {
  checkOptions(config, METHOD_KINDS, 'run `methodOf`')
  checkMethodOptions(config, 'run `methodOf`')
  return methodFrom(config)
}

/** Throws for an option of another method, and for options beside a method that has its own. */
export function checkMethodOptions(config: MethodConfig, operation: string): void {
  const { method = 'beam_search', merge, normalize, forestSize = 1 } = config
  const given = Object.entries(config).filter(([key, value]) => value !== undefined && key in METHOD_KINDS)
  const known =
    typeof method === 'string' && Object.hasOwn(METHODS_BY_NAME, method) ? METHODS_BY_NAME[method].keys : null
  if (typeof method === 'string' && !known) return
  const free = new Set(['method', 'forestSize', ...(forestSize > 1 ? ['merge', ...(merge ? ['normalize'] : [])] : [])])
  const fits = (key: string): boolean =>
    free.has(key) || (known?.includes(key) ?? false) || (known !== null && key in AG2_KINDS)
  const wrong = given.map(([key]) => key).find((key) => !fits(key))
  if (wrong === undefined) return
  const owners = METHOD_NAMES.filter((name) => METHODS_BY_NAME[name].keys.includes(wrong))
  const remedy =
    known === null
      ? 'the method has its own options: give them to the function that makes it'
      : wrong === 'merge' || (normalize && owners.length === 0)
        ? 'give a `forestSize` above 1, whose answers are merged'
        : `it is an option of \`${owners.join('`, `')}\`: choose one of them, or leave it out`
  const name = typeof method === 'string' ? `\`${method}\`` : 'a method of the engine'
  throw new XError('invalid-argument', `cannot ${operation}: ${name} does not take \`${wrong}\`; ${remedy}`, {
    details: { option: wrong, methods: owners },
  })
}

/** Returns the method like {@link methodOf}; other keys of the config are not looked at. */
export function methodFrom(config: MethodConfig): Method {
  const { method = 'beam_search', forestSize = 1, merge, normalize } = config
  const trees = { size: forestSize, merge, normalize }
  if (typeof method === 'function') return forest(method, trees)
  if (Object.hasOwn(METHODS_BY_NAME, method)) return forest(METHODS_BY_NAME[method].make(config), trees)
  const nearest = nearestName(method, METHOD_NAMES)
  const remedy = nearest ? `did you mean \`${nearest}\`?` : `choose one of ${METHOD_NAMES.join(', ')}, or give a method`
  throw new XError('unknown-method', `the search method \`${method}\` is unknown: ${remedy}`, {
    details: { method, nearest, known: METHOD_NAMES },
  })
}
