import type { MaybePromise, Run } from '@x/interfaces';
import type { SearchJob } from '../strategy/job.ts';
import type { JobRequest } from '../strategy/job-request.ts';
export type PerformJob = (job: SearchJob, request: JobRequest, run: Run) => MaybePromise<unknown>;
