import type { MaybePromise, Run } from '@x/interfaces';
import type { AnswerJob, JobOutcome, JobRecord, MergeJob, SearchJob } from '../strategy/job.ts';
import { type TellingParts } from './perform.ts';
import type { SearchParts } from './search-options.ts';
export declare function performAnywhere(job: SearchJob, question: string, parts: TellingParts, run: Run): MaybePromise<JobRecord>;
export declare function verifyAnywhere(job: AnswerJob | MergeJob, { question, text }: {
    readonly question: string;
    readonly text: string;
}, parts: TellingParts, run: Run): MaybePromise<JobOutcome>;
export type PerformingParts = Pick<SearchParts, 'proposer' | 'grader' | 'answerer' | 'verifier'>;
export declare function performJob(request: unknown, parts: PerformingParts, run: Run): MaybePromise<JobRecord>;
