export type ReasonMethod = 'beam_search' | 'mcts' | 'lats' | 'dfs' | 'best_first' | 'depth_first' | 'graded_mcts' | 'ab_mcts' | 'reflective_mcts' | 'best_of_n' | 'best_by_reward' | 'self_consistency';
export type AnswerApproach = 'pool' | 'best';
export interface ThinkNodeData {
    content: string;
    value: number;
    depth: number;
    reflection: string;
    rating_details: string;
    output: string | null;
    visits: number;
    children: ThinkNodeData[];
}
