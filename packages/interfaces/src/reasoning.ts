/** The name of a way to search a tree of thoughts. */
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

/** Whether an answer is made from all finished paths (`pool`) or from the best one alone (`best`). */
export type AnswerApproach = 'pool' | 'best'

/** A node of a tree of thoughts as plain data, with the keys that AG2 saves. */
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
