import type { AnswerApproach, ChatMessage, MaybePromise, Run } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { PROMPT_LENGTH_KIND, SCALE_KIND } from '../ask/ask-model.ts'
import { checkMethodOptions, METHOD_KINDS, type MethodConfig } from '../methods/method-of.ts'
import { BOUND_KINDS, type SearchBounds } from '../search/bounds.ts'
import { checkBudget, type SearchBudget } from '../search/budget.ts'
import { PART_KINDS } from '../search/check-search.ts'
import type { Verifier } from '../search/parts.ts'
import type { SearchParts } from '../search/search-options.ts'
import type { PerformJob } from '../strategy/job-request.ts'

/** Makes one question of the messages of a chat; an empty text means the last message alone. */
export type Rewriter = (messages: readonly ChatMessage[], run: Run) => MaybePromise<string>

/** Parts of a search that replace the internal agents. */
export type ReasonParts = Partial<Pick<SearchParts, 'proposer' | 'grader' | 'answerer' | 'verifier'>>

/** Options of the search of a `ReasoningAgent`. */
export interface ReasonConfig extends MethodConfig, SearchBounds {
  /** The best rating, at least 2; default 10. */
  ratingScale?: number | undefined
  /** The limits of the search for one answer; default: none. */
  budget?: SearchBudget | undefined
  /** Maximum number of model calls in flight; default 64. */
  concurrency?: number | undefined
  /** Checks answers by code; the search stops at the first accepted answer. */
  verifier?: Verifier | undefined
  /** Performs the jobs of a search elsewhere, like `perform` of `search`; the code of steps then runs there too. */
  perform?: PerformJob | undefined
  /** Parts that replace the internal agents, such as a program that grades. */
  parts?: ReasonParts | undefined
  /** The best rating that the thinker gives to each of its options, in the same call; default null: the grader rates. */
  rateUpTo?: number | null | undefined
  /** Most characters of the texts in a prompt; default 200,000. */
  maxPromptLength?: number | undefined
  /**
   * Makes one question of the messages of a chat: `'model'` asks the agent's model to rewrite the last message so that it
   * can be understood alone; a function returns the question. Both see the messages that the agent's `history` sends.
   * Default null: the last message alone, as in AG2.
   */
  rewriter?: 'model' | Rewriter | null | undefined
  /**
   * If true, an unreadable reply is asked again once, with a note; default true, but false in the four methods of AG2, which
   * never ask again.
   */
  repair?: boolean | undefined
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

const REASON_CONFIG_KINDS: OptionKinds<ReasonConfig> = {
  ...METHOD_KINDS,
  ratingScale: SCALE_KIND,
  budget: kind.object,
  concurrency: kind.limit(1),
  verifier: kind.call,
  repair: kind.flag,
  perform: kind.call,
  parts: kind.object,
  rateUpTo: kind.orNull(SCALE_KIND),
  rewriter: {
    ...kind.any,
    expected: "'model', a function, or null",
    takes: (value) => value === null || value === 'model' || typeof value === 'function',
  },
  maxPromptLength: PROMPT_LENGTH_KIND,
  ...BOUND_KINDS,
}

/** Words of later versions of AG2 for keys of a `reasonConfig`. */
const FOREIGN_WORDS = {
  batchGrading: "write `gradeMode: 'per-parent'`",
  interimExecution: 'give the agent a `codeExecutionConfig`, and the code of its steps runs',
}

/** True if an agent with this configuration asks again after an unreadable reply. */
export const repairsReplies = ({ repair, method = 'beam_search' }: ReasonConfig): boolean =>
  repair ?? !(typeof method === 'string' && /^(?:beam_search|dfs|mcts|lats)$/.test(method))

const REASON_DEFAULTS = { maxDepth: 4, beamSize: 3, answerApproach: 'pool' } as const

/** True if a deprecated option differs from its default. */
export const usesDeprecated = (options: DeprecatedReasonOptions): boolean =>
  (['maxDepth', 'beamSize', 'answerApproach'] as const).some(
    (key) => (options[key] ?? REASON_DEFAULTS[key]) !== REASON_DEFAULTS[key],
  )

/** Merges `reasonConfig` with the deprecated options; the search, not this function, refuses an unknown method. */
export function settingsFrom(config: ReasonConfig, deprecated: DeprecatedReasonOptions): ReasonSettings {
  checkOptions(config, REASON_CONFIG_KINDS, 'make a reasoning agent with this `reasonConfig`', FOREIGN_WORDS)
  checkMethodOptions(config, 'make a reasoning agent with this `reasonConfig`')
  checkOptions(config.parts, PART_KINDS, 'make a reasoning agent with these `parts`')
  checkBudget(config.budget)
  const { method = 'beam_search', ratingScale = 10 } = config
  const answerApproach = config.answerApproach ?? deprecated.answerApproach ?? REASON_DEFAULTS.answerApproach
  if ((method === 'beam_search' || method === 'dfs') && answerApproach !== 'pool' && answerApproach !== 'best') {
    throw new XError(
      'invalid-argument',
      `cannot make a reasoning agent with \`answerApproach: '${String(answerApproach)}'\`: give \`'pool'\` or \`'best'\``,
      { details: { answerApproach } },
    )
  }
  return {
    ...config,
    ratingScale,
    answerApproach,
    maxDepth: config.maxDepth ?? deprecated.maxDepth ?? REASON_DEFAULTS.maxDepth,
    beamSize: method === 'dfs' ? 1 : (config.beamSize ?? deprecated.beamSize ?? REASON_DEFAULTS.beamSize),
  }
}
