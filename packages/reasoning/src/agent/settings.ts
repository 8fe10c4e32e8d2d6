import type { AnswerApproach, ChatMessage, MaybePromise, Run } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { PROMPT_LENGTH, SCALE } from '../ask/ask-model.ts'
import { checkMethodOptions, METHOD_KINDS, type MethodConfig } from '../methods/method-of.ts'
import { BOUND_KINDS, type SearchBounds } from '../search/bounds.ts'
import { checkBudget, type SearchBudget } from '../search/budget.ts'
import { PART_KINDS } from '../search/check-search.ts'
import type { Verifier } from '../search/parts.ts'
import type { SearchParts } from '../search/search-options.ts'
import type { PerformJob } from '../strategy/job-request.ts'

/** Makes one question of the messages of a chat; an empty text stands for the last message alone. */
export type Rewriter = (messages: readonly ChatMessage[], run: Run) => MaybePromise<string>

/** Parts of a search in the place of the internal agents. */
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
  /** Performs the jobs of a search elsewhere, as that of `search`; code of steps is then run there, too. */
  perform?: PerformJob | undefined
  /** Parts of your own in the place of the internal agents, such as a program that grades. */
  parts?: ReasonParts | undefined
  /** The best rating that the thinker gives to each of its options, in the same call; default null: the grader rates. */
  rateUpTo?: number | null | undefined
  /** Most characters of the texts in a prompt; default 200,000. */
  maxPromptLength?: number | undefined
  /**
   * Makes the question of the messages of a chat: `'model'` asks the agent's model to write the last message so that it
   * can be understood alone, a function does it itself. Both see what the agent's `history` leaves of the chat. Default
   * null: the last message alone, as in AG2.
   */
  rewriter?: 'model' | Rewriter | null | undefined
  /**
   * Whether a reply that cannot be read is asked for once more, with a note; default true, but false in the four methods
   * of AG2, which never ask again.
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

const KINDS: OptionKinds<ReasonConfig> = {
  ...METHOD_KINDS,
  ratingScale: SCALE,
  budget: kind.object,
  concurrency: kind.limit(1),
  verifier: kind.call,
  repair: kind.flag,
  perform: kind.call,
  parts: kind.object,
  rateUpTo: kind.orNull(SCALE),
  rewriter: {
    ...kind.any,
    expected: "'model', a function, or null",
    takes: (value) => value === null || value === 'model' || typeof value === 'function',
  },
  maxPromptLength: PROMPT_LENGTH,
  ...BOUND_KINDS,
}

/** Whether an agent with this configuration asks again for a reply that cannot be read. */
export const repairsReplies = ({ repair, method = 'beam_search' }: ReasonConfig): boolean =>
  repair ?? !(typeof method === 'string' && /^(?:beam_search|dfs|mcts|lats)$/.test(method))

const DEFAULTS = { maxDepth: 4, beamSize: 3, answerApproach: 'pool' } as const

/** Whether a deprecated option differs from its default. */
export const usesDeprecated = (given: DeprecatedReasonOptions): boolean =>
  (['maxDepth', 'beamSize', 'answerApproach'] as const).some((key) => (given[key] ?? DEFAULTS[key]) !== DEFAULTS[key])

/** Merges `reasonConfig` with the deprecated options; an unknown method is refused by the search and not here. */
export function settingsFrom(config: ReasonConfig, deprecated: DeprecatedReasonOptions): ReasonSettings {
  checkOptions(config, KINDS, 'make a reasoning agent with this `reasonConfig`')
  checkMethodOptions(config, 'make a reasoning agent with this `reasonConfig`')
  checkOptions(config.parts, PART_KINDS, 'make a reasoning agent with these `parts`')
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
