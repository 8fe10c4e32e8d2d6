/** The name of a method to search a tree of thoughts. */
export type ReasonMethod =
  | 'beam_search'
  | 'mcts'
  | 'lats'
  | 'dfs'
  | 'best_first'
  | 'depth_first'
  | 'graded_mcts'
  | 'ab_mcts'
  | 'reflective_mcts'
  | 'best_of_n'
  | 'best_by_reward'
  | 'self_consistency'

/** Whether an answer is made from all finished paths (`pool`) or from the best path alone (`best`). */
export type AnswerApproach = 'pool' | 'best'

/**
 * Why a search ended: a verifier accepted the answer, the method accepted it, the budget was used up, no path was left, or the
 * caller stopped it.
 */
export type SearchStatus = 'verified' | 'accepted' | 'budget' | 'exhausted' | 'aborted'

/** The kind of a question to a model: options for the next step, a grade, an answer, or one answer from several. */
export type SearchJobKind = 'expand' | 'grade' | 'answer' | 'merge'

/** Model usage of a search so far, or of one of its calls. */
export interface SearchUsage {
  calls: number
  promptTokens: number
  completionTokens: number
  /** Cost in US dollars. */
  cost: number
  /** The model that answered, if this is the usage of one call. */
  model?: string | undefined
  /** True if the answer came from a cache. */
  cached?: boolean | undefined
}
