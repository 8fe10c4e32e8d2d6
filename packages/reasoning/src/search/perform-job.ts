import type { MaybePromise, Run } from '@x/interfaces'
import type { AnswerJob, JobRecord, MergeJob } from '../strategy/job.ts'
import { fromRequest, type JobRequest } from '../strategy/job-request.ts'
import { chain } from './chain.ts'
import { perform, verifyAgain } from './perform.ts'
import type { SearchParts } from './search-options.ts'

/** The parts that perform the jobs of a search. */
export type PerformingParts = Pick<SearchParts, 'proposer' | 'grader' | 'answerer' | 'verifier'>

/**
 * Performs a job of a search that runs elsewhere: gives what its `perform` has to give, as plain JSON. Equal parts give what
 * they give in the search itself. What is not a request is refused with `invalid-argument`. The nodes that the parts see have their paths, and neither siblings nor children.
 */
export function performJob(request: unknown, parts: PerformingParts, run: Run): MaybePromise<JobRecord> {
  const job = fromRequest(request as JobRequest)
  const { question, written, maxOptions, maxOptionLength } = request as JobRequest
  const bounded = { ...parts, maxOptions, maxOptionLength }
  if (written === null || (job.kind !== 'answer' && job.kind !== 'merge')) return perform(job, question, bounded, run)
  return chain(verifyAgain(job satisfies AnswerJob | MergeJob, written, bounded, run), (outcome) => ({
    outcome,
    used: { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 },
  }))
}
