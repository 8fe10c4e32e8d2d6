import type { MaybePromise, Run } from '@x/interfaces'
import type { SearchJob } from '../strategy/job.ts'
import type { JobRequest } from '../strategy/job-request.ts'

/**
 * Performs a job of a search in another place, such as a worker of a queue: `performJob` there gives what this has to give.
 * The run's signal fires when the job is no longer needed. A promise that rejects fails the job, and not the search.
 */
export type PerformJob = (job: SearchJob, request: JobRequest, run: Run) => MaybePromise<unknown>
