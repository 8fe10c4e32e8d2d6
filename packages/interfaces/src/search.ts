/** The name of a method to search a tree of thoughts. */
export type ReasonMethod =
  | 'beam_search'
  | 'mcts'
  | 'lats'
  | 'dfs'
  | 'best_first'
  | 'depth_first'
  | 'graded_mcts'
  | 'auto'
  | 'ab_mcts'
  | 'reflective_mcts'
  | 'best_of_n'
  | 'best_by_reward'
  | 'self_consistency'

/** Chances that a grader praises, with a grade of at least 0.75, as a search has come to believe them. */
export interface GraderBelief {
  /** The chance of praise for something right. */
  truePraise: number
  /** The chance of praise for something wrong. */
  falsePraise: number
  /** Number of graded things in this search; with none the chances are those of the prior. */
  graded: number
  /** Expected numbers of right and of wrong things by grade, low (below 0.3), middle and high (from 0.75). */
  right: number[]
  wrong: number[]
}

/** The beliefs of a search about its answer and its parts at its end; plain JSON, also for the `prior` of later searches. */
export interface SearchBeliefs {
  /** The chance that the answer is right, in [0, 1]; 1 if a verifier accepted it. */
  confidence: number
  /** The grader, by what it graded: steps, ends of paths, and whole answers. */
  grader: { steps: GraderBelief; ends: GraderBelief; answers: GraderBelief }
  /** The chance that an option after a good step is good, from an expected number of good ones among those tried. */
  proposer: { goodOptions: number; good: number; tried: number }
  /** The chances that an independent answer is right, and that the answer of a right path is wrong nevertheless. */
  answerer: { right: number; slips: number; good: number; tried: number }
}

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
