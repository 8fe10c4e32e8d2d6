import type { MaybePromise, Run } from '@x/interfaces';
import type { AnswerJob, JobOutcome, JobRecord, MergeJob, SearchJob } from '../strategy/job.ts';
import type { SearchParts } from './search-options.ts';
export interface TellingParts extends SearchParts {
    readonly onWritten?: ((job: AnswerJob | MergeJob, text: string) => void) | undefined;
}
export declare function perform(job: SearchJob, question: string, parts: TellingParts, run: Run): MaybePromise<JobRecord>;
export declare function verifyAgain(job: AnswerJob | MergeJob, text: string, parts: TellingParts, run: Run): MaybePromise<JobOutcome>;
