export type ReasonMethod = 'beam_search' | 'mcts' | 'lats' | 'dfs' | 'best_first' | 'depth_first' | 'graded_mcts' | 'auto' | 'ab_mcts' | 'reflective_mcts' | 'best_of_n' | 'best_by_reward' | 'self_consistency';
export interface GraderBelief {
    truePraise: number;
    falsePraise: number;
    graded: number;
    right: number[];
    wrong: number[];
}
export interface SearchBeliefs {
    confidence: number;
    grader: {
        steps: GraderBelief;
        ends: GraderBelief;
        answers: GraderBelief;
    };
    proposer: {
        goodOptions: number;
        good: number;
        tried: number;
    };
    answerer: {
        right: number;
        slips: number;
        good: number;
        tried: number;
    };
}
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
