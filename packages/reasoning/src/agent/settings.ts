import type { AnswerApproach } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { SCALE } from '../ask/model-kind.ts'
import { METHOD_KINDS, type MethodConfig } from '../methods/method-of.ts'
import { checkBudget, type SearchBudget } from '../search/budget.ts'
import type { Verifier } from '../search/parts.ts'

/** Options of the search of a `ReasoningAgent`. */
export interface ReasonConfig extends MethodConfig {
  /** The best rating, at least 2; default 10. */
  ratingScale?: number | undefined
  /** The limits of the search for one answer; default: none. */
  budget?: SearchBudget | undefined
  /** Maximum number of model calls in flight; default 64. */
  concurrency?: number | undefined
  /** Checks answers by code; the search stops at the first accepted answer. */
  verifier?: Verifier | undefined
}

/** The deprecated options of a `ReasoningAgent`. */
export interface DeprecatedReasonOptions {
  /** Use `reasonConfig.maxDepth`. */
  maxDepth?: number | undefined
  /** Use `reasonConfig.beamSize`. */
  beamSize?: number | undefined
  /** Use `reasonConfig.answerApproach`. */
  answerApproach?: AnswerApproach | undefined
}

/** The search options of an agent with the defaults filled in. */
export interface ReasonSettings extends ReasonConfig {
  readonly maxDepth: number
  readonly beamSize: number
  readonly ratingScale: number
  readonly answerApproach: AnswerApproach
}

const KINDS: OptionKinds<ReasonConfig> = {
  ...METHOD_KINDS,
  ratingScale: SCALE,
  budget: kind.object,
  concurrency: kind.limit(1),
  verifier: kind.call,
}

const DEFAULTS = { maxDepth: 4, beamSize: 3, answerApproach: 'pool' } as const

/** Whether a deprecated option differs from its default. */
export const usesDeprecated = (given: DeprecatedReasonOptions): boolean =>
  (['maxDepth', 'beamSize', 'answerApproach'] as const).some((key) => (given[key] ?? DEFAULTS[key]) !== DEFAULTS[key])

/** Merges `reasonConfig` with the deprecated options; an unknown method is refused by the search and not here. */
export function settingsFrom(config: ReasonConfig, deprecated: DeprecatedReasonOptions): ReasonSettings {
  checkOptions(config, KINDS, 'make a reasoning agent with this `reasonConfig`')
  checkBudget(config.budget)
  const { method = 'beam_search', ratingScale = 10 } = config
  const answerApproach = config.answerApproach ?? deprecated.answerApproach ?? DEFAULTS.answerApproach
  if ((method === 'beam_search' || method === 'dfs') && answerApproach !== 'pool' && answerApproach !== 'best') {
    throw new XError(
      'invalid-argument',
      `a reasoning agent has \`answerApproach: '${String(answerApproach)}'\`: give \`'pool'\` or \`'best'\``,
      { details: { answerApproach } },
    )
  }
  return {
    ...config,
    ratingScale,
    answerApproach,
    maxDepth: config.maxDepth ?? deprecated.maxDepth ?? DEFAULTS.maxDepth,
    beamSize: method === 'dfs' ? 1 : (config.beamSize ?? deprecated.beamSize ?? DEFAULTS.beamSize),
  }
}
