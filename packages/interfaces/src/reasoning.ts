/** How a tree of thoughts is searched. */
export type ReasonMethod =
  | 'beam_search'
  | 'mcts'
  | 'lats'
  | 'dfs'
  | 'best_first'
  | 'depth_first'
  | 'graded_mcts'
  | 'best_of_n'

/** Whether an answer is made from all best leaves or from the best alone. */
export type AnswerApproach = 'pool' | 'best'

/** Settings of a reasoning agent. */
export interface ReasonConfig {
  /** Default `beam_search`. */
  method?: ReasonMethod | undefined
  /** Depth of the tree; default 4. */
  maxDepth?: number | undefined
  /** Number of independent trees; default 1. */
  forestSize?: number | undefined
  /** Best grade; default 10. */
  ratingScale?: number | undefined
  /** Leaves kept per level (beam search, dfs); default 3, 1 for dfs. */
  beamSize?: number | undefined
  /** Beam search and dfs; default `pool`. */
  answerApproach?: AnswerApproach | undefined
  /** Simulations: 3 by default in mcts and lats, 20 in graded_mcts; answers in best_of_n: 5. */
  nsim?: number | undefined
  /** Weight of the unexplored (mcts, lats); default 1.41. */
  explorationConstant?: number | undefined
}

/** A node of a tree of thoughts as plain data, with the keys of the reference. */
export interface ThinkNodeData {
  content: string
  value: number
  depth: number
  reflection: string
  rating_details: string
  output: string | null
  visits: number
  children: ThinkNodeData[]
}

/** The reasoning limits that the spec fixes. */
export interface ReasoningLimits {
  readonly maxDepth: 4
  readonly beamSize: 3
  readonly forestSize: 1
  readonly ratingScale: 10
  readonly nsim: 3
  readonly explorationConstant: 1.41
  /** Consecutive auto replies of the agent that runs a reasoner's code. */
  readonly reasonerUserProxyMaxConsecutiveAutoReply: 1
}
