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
export type SearchEvent = {
    type: 'searchStart';
    question: string;
} | {
    type: 'jobStart';
    job: string;
    kind: SearchJobKind;
} | {
    type: 'jobEnd';
    job: string;
    kind: SearchJobKind;
    nodes: string[];
    used: SearchUsage;
    failure: string | null;
    replayed: boolean;
} | {
    type: 'nodeAdd';
    node: string;
    parent: string | null;
    content: string;
    depth: number;
} | {
    type: 'nodeGrade';
    node: string;
    grade: number | null;
    details: string;
} | {
    type: 'nodeFate';
    node: string;
    fate: string;
} | {
    type: 'bestChange';
    node: string | null;
    text: string | null;
    grade: number | null;
} | {
    type: 'searchWarning';
    text: string;
} | {
    type: 'searchEnd';
    status: SearchStatus;
    answer: string | null;
    used: SearchUsage;
};
