export type ReasonMethod = 'beam_search' | 'mcts' | 'lats' | 'dfs' | 'best_first' | 'depth_first' | 'graded_mcts' | 'best_of_n';
export type AnswerApproach = 'pool' | 'best';
export interface ReasonConfig {
    method?: ReasonMethod | undefined;
    maxDepth?: number | undefined;
    forestSize?: number | undefined;
    ratingScale?: number | undefined;
    beamSize?: number | undefined;
    answerApproach?: AnswerApproach | undefined;
    nsim?: number | undefined;
    explorationConstant?: number | undefined;
}
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
export interface ReasoningLimits {
    readonly maxDepth: 4;
    readonly beamSize: 3;
    readonly forestSize: 1;
    readonly ratingScale: 10;
    readonly nsim: 3;
    readonly explorationConstant: 1.41;
    readonly reasonerUserProxyMaxConsecutiveAutoReply: 1;
}
