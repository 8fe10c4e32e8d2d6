import type { AnswerApproach, ReasonConfig } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkScale } from '../ask/model-grader.ts'
import type { SearchBudget } from '../search/budget.ts'
import type { Verifier } from '../search/parts.ts'

/** How a reasoning agent searches: the spec's keys, and what the engine can do beyond them. */
export interface ReasonOptions extends ReasonConfig {
  /** What one answer may use; default: no limit. */
  budget?: SearchBudget | undefined
  /** Model calls in flight at most; default 64. */
  concurrency?: number | undefined
  /** Checks answers by code; the search stops at the first that it accepts. */
  verifier?: Verifier | undefined
}

/** The parameters that `reasonConfig` has taken the place of. */
export interface DeprecatedReasonOptions {
  /** Use `reasonConfig.maxDepth`. */
  maxDepth?: number | undefined
  /** Use `reasonConfig.beamSize`. */
  beamSize?: number | undefined
  /** Use `reasonConfig.answerApproach`. */
  answerApproach?: AnswerApproach | undefined
}

/** The settings of one agent. */
export interface ReasonSettings extends ReasonOptions {
  readonly maxDepth: number
  readonly beamSize: number
  readonly ratingScale: number
  readonly answerApproach: AnswerApproach
}

const DEFAULTS = { maxDepth: 4, beamSize: 3, answerApproach: 'pool' } as const

/** Whether parameters were given that `reasonConfig` has taken the place of. */
export const usesDeprecated = (given: DeprecatedReasonOptions): boolean =>
  (['maxDepth', 'beamSize', 'answerApproach'] as const).some((key) => (given[key] ?? DEFAULTS[key]) !== DEFAULTS[key])

/** Brings `reasonConfig` and the deprecated parameters together; an unknown method is refused when it is to answer. */
export function settingsFrom(config: ReasonOptions, deprecated: DeprecatedReasonOptions): ReasonSettings {
  const { method = 'beam_search', ratingScale = 10 } = config
  const answerApproach = config.answerApproach ?? deprecated.answerApproach ?? DEFAULTS.answerApproach
  checkScale(ratingScale)
  if ((method === 'beam_search' || method === 'dfs') && answerApproach !== 'pool' && answerApproach !== 'best') {
    throw new XError(
      'invalid-argument',
      `a reasoning agent was given \`answerApproach: '${String(answerApproach)}'\`: give \`'pool'\` or \`'best'\``,
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
