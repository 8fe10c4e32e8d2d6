import type { ModelErrorKind } from '@x/interfaces';
import { type JobOutcome, type SearchJob } from '../strategy/job.ts';
export interface JobProblem {
    readonly code: string;
    readonly message: string;
    readonly errorKind?: ModelErrorKind | undefined;
}
export declare function problemOf(job: SearchJob, outcome: JobOutcome): JobProblem | null;
export declare function followUp(job: SearchJob, outcome: JobOutcome, repairs: boolean): SearchJob | null;
export declare function combineOutcomes(first: JobOutcome, second: JobOutcome): JobOutcome;
export declare const emptyAnswer: () => JobOutcome;
export declare function tellError(error: unknown): string;
export declare const VERIFIER_FAILED = "the verifier failed: ";
export declare class FailedCalls {
    #private;
    count({ kind, position }: SearchJob, outcome: JobOutcome, problem: JobProblem | null): void;
    get warnings(): readonly string[];
}
