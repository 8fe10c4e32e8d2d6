import type { JobOutcome, SearchJob } from '../strategy/job.ts';
export interface JobProblem {
    readonly code: string;
    readonly message: string;
}
export declare function problemOf(job: SearchJob, outcome: JobOutcome): JobProblem | null;
export declare function followUp(job: SearchJob, outcome: JobOutcome, repairs: boolean): SearchJob | null;
export declare function combineOutcomes(first: JobOutcome, second: JobOutcome): JobOutcome;
export declare const emptyAnswer: () => JobOutcome;
export declare class FailedCalls {
    #private;
    count({ kind }: SearchJob, problem: JobProblem | null): void;
    get warnings(): readonly string[];
}
