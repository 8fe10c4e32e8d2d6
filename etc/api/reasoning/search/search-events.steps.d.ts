import type { EventBody, OpenCall, Run, RunScope, SearchUsage } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type SearchJob } from '../strategy/job.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import type { TreeChange } from '../tree/tree.ts';
import type { JobProblem } from './job-problems.ts';
import type { SearchResult } from './search-options.ts';
export type TreeEvent = Extract<EventBody, {
    type: 'searchNode' | 'searchGrade' | 'searchFate';
}>;
export interface BestCandidate {
    readonly node: ThinkNode | null;
    readonly grade: number | null;
    readonly text: string | null;
}
export type ToldResult = Pick<SearchResult, 'answer' | 'status' | 'used'> & Partial<Pick<SearchResult, 'beliefs'>>;
interface SearchFacts {
    readonly question: string;
    readonly resumed?: boolean | undefined;
    readonly recalled?: boolean | undefined;
    readonly used: SearchUsage;
}
export interface EndedJob {
    readonly used: SearchUsage;
    readonly problem: JobProblem | null;
    readonly replayed: boolean;
}
export declare class SearchEvents {
    #private;
    readonly inner: RunScope | undefined;
    readonly tellsTrees: boolean;
    constructor(run: Run, agent: string | null, open: OpenCall | undefined, scopes: readonly (RunScope | undefined)[]);
    get tellsRecalled(): boolean;
    inSearch<T extends ToldResult>({ question, resumed, recalled, used }: SearchFacts, steps: Steps<T>): Steps<T>;
    inJob<T extends EndedJob>(job: SearchJob, { run, recalled }: {
        readonly run: Run;
        readonly recalled: boolean;
    }, ask: (run: Run) => Steps<T | null>): Steps<T | null>;
    eventOf({ type, node }: TreeChange): TreeEvent;
    best({ node, grade, text }: BestCandidate, recalled: boolean): Steps<void>;
    warn(text: string): Steps<void>;
    send(event: EventBody, recalled: boolean): Steps<void>;
}
export declare function recallSearch({ agent, open }: {
    readonly agent: string;
    readonly open: OpenCall;
}, { question, result }: {
    readonly question: string;
    readonly result: ToldResult;
}): Steps<void>;
export {};
