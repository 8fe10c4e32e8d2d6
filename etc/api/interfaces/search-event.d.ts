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
    type: 'search-start';
    question: string;
} | {
    type: 'job-start';
    job: string;
    kind: SearchJobKind;
} | {
    type: 'job-end';
    job: string;
    kind: SearchJobKind;
    used: SearchUsage;
    failure: string | null;
    replayed: boolean;
} | {
    type: 'node-add';
    node: string;
    parent: string | null;
    content: string;
    depth: number;
} | {
    type: 'node-grade';
    node: string;
    grade: number | null;
    details: string;
} | {
    type: 'node-fate';
    node: string;
    fate: string;
} | {
    type: 'best-change';
    node: string | null;
    text: string | null;
    grade: number | null;
} | {
    type: 'search-end';
    status: SearchStatus;
    answer: string | null;
    used: SearchUsage;
};
