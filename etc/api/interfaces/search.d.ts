export type ReasonMethod = 'beam_search' | 'mcts' | 'lats' | 'dfs' | 'best_first' | 'depth_first' | 'graded_mcts' | 'ab_mcts' | 'reflective_mcts' | 'best_of_n' | 'best_by_reward' | 'self_consistency';
export type AnswerApproach = 'pool' | 'best';
export type SearchStatus = 'verified' | 'accepted' | 'budget' | 'exhausted' | 'aborted';
export type SearchJobKind = 'expand' | 'grade' | 'answer' | 'merge';
export interface SearchUsage {
    calls: number;
    promptTokens: number;
    completionTokens: number;
    cost: number;
    model?: string | undefined;
    cached?: boolean | undefined;
}
