import type { ModelErrorKind, RunOptions, SearchBeliefs, SearchStatus, SearchUsage } from '@x/interfaces';
import type { PerformJob } from '../strategy/job-request.ts';
import type { AnswerVerdict, SearchJob } from '../strategy/job.ts';
import type { Random } from '../strategy/random.ts';
import type { Method } from '../strategy/strategy.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import type { SearchBounds } from './bounds.ts';
import type { SearchBudget } from './budget.ts';
import type { Answerer, Grader, Proposer, Verifier } from './parts.ts';
import type { SearchJournal } from './search-journal.ts';
export interface Clock {
    now(): number;
    after(ms: number, call: () => void): () => void;
}
export interface SearchParts extends SearchBounds {
    method?: Method | undefined;
    proposer: Proposer;
    grader: Grader;
    answerer: Answerer;
    verifier?: Verifier | undefined;
    repair?: boolean | undefined;
    budget?: SearchBudget | undefined;
    concurrency?: number | undefined;
    perform?: PerformJob | undefined;
    journal?: SearchJournal | undefined;
    random?: Random | undefined;
    clock?: Clock | undefined;
}
export interface SearchOptions extends SearchParts, RunOptions {
    readonly signal?: AbortSignal | undefined;
}
export interface JobFailure {
    job: string;
    kind: SearchJob['kind'];
    code: string;
    message: string;
    errorKind?: ModelErrorKind | undefined;
}
export interface SearchResult {
    answer: string | null;
    status: SearchStatus;
    reason: string | null;
    verdict: AnswerVerdict | null;
    beliefs: SearchBeliefs | null;
    node: ThinkNode | null;
    trees: ThinkNode[];
    used: SearchUsage;
    failures: JobFailure[];
    warnings: string[];
}
