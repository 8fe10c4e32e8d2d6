import type { MaybePromise, Run } from '@x/interfaces';
import type { JobRecord } from '../strategy/job.ts';
import type { SearchParts } from './search-options.ts';
export type PerformingParts = Pick<SearchParts, 'proposer' | 'grader' | 'answerer' | 'verifier'>;
export declare function performJob(request: unknown, parts: PerformingParts, run: Run): MaybePromise<JobRecord>;
