import type { MaybePromise, Reservation, Run } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { scopeOf } from '@x/kernel/run'
import { fromRequest, toRequest, type JobRequest } from '../strategy/job-request.ts'
import type { AnswerJob, JobOutcome, JobRecord, MergeJob, SearchJob } from '../strategy/job.ts'
import { DEFAULT_BOUNDS } from './bounds.ts'
import { chain } from './chain.ts'
import { perform, verifyAgain, type TellingParts } from './perform.ts'
import { readRecord } from './read-record.ts'
import type { SearchParts } from './search-options.ts'

/** Performs a job: elsewhere if the search has `perform`, else here. */
export function performAnywhere(
  job: SearchJob,
  question: string,
  parts: TellingParts,
  run: Run,
): MaybePromise<JobRecord> {
  if (!parts.perform) return perform(job, question, parts, run)
  const request = requestOf(job, question, null, parts)
  // The models elsewhere do not know the budget of this run.
  const reserved = scopeOf(run)?.budget?.reserve({ calls: 1, tokens: 0, cost: 0 })
  return chain(reserved, (reservation) => settleResult(parts.perform!(job, request, run), job, parts, reservation))
}

/** Verifies an answer of an earlier run again, here or elsewhere. */
export function verifyAnywhere(
  job: AnswerJob | MergeJob,
  { question, text }: { readonly question: string; readonly text: string },
  parts: TellingParts,
  run: Run,
): MaybePromise<JobOutcome> {
  if (!parts.perform || !parts.verifier) return verifyAgain(job, text, parts, run)
  parts.onWritten?.(job, text)
  const result = parts.perform(job, requestOf(job, question, text, parts), run)
  return chain(result, (value) => readRecord(job, value, parts).outcome)
}

const requestOf = (job: SearchJob, question: string, written: string | null, bounds: SearchParts): JobRequest => {
  const { maxOptions, maxOptionLength } = { ...DEFAULT_BOUNDS, ...definedOnly(bounds) }
  return toRequest(job, { question, written, maxOptions, maxOptionLength })
}

const definedOnly = ({ maxOptions, maxOptionLength }: SearchParts) => ({
  ...(maxOptions !== undefined && { maxOptions }),
  ...(maxOptionLength !== undefined && { maxOptionLength }),
})

/** Reads the result of a job, and settles its usage in the budget of the run. */
function settleResult(
  result: MaybePromise<unknown>,
  job: SearchJob,
  parts: SearchParts,
  reservation: Reservation | undefined,
): MaybePromise<JobRecord> {
  const read = (value: unknown): JobRecord => {
    const record = readRecord(job, value, parts)
    const { calls, promptTokens, completionTokens, cost } = record.used
    reservation?.settle({ calls, tokens: promptTokens + completionTokens, cost })
    return record
  }
  const fail = (error: unknown): never => {
    // The usage of a failed job is unknown: it counts as one call.
    reservation?.settle({ calls: 1, tokens: 0, cost: 0 })
    throw error
  }
  if (isThenable(result)) return result.then(read).then(undefined, fail)
  try {
    return read(result)
  } catch (error) {
    return fail(error)
  }
}

/** The parts that perform the jobs of a search. */
export type PerformingParts = Pick<SearchParts, 'proposer' | 'grader' | 'answerer' | 'verifier'>

/**
 * Performs a job of a search that runs elsewhere: returns the record, as plain JSON, that the search's `perform` has to
 * return. Equal parts give the same results as in the search itself; they see nodes with their paths, without siblings,
 * children and visits, and with their grade as `value`. Throws `invalid-argument` if the value is not a request.
 */
export function performJob(request: unknown, parts: PerformingParts, run: Run): MaybePromise<JobRecord> {
  const job = fromRequest(request as JobRequest)
  const { question, written, maxOptions, maxOptionLength } = request as JobRequest
  const boundedParts = { ...parts, maxOptions, maxOptionLength }
  if (written === null || (job.kind !== 'answer' && job.kind !== 'merge'))
    return perform(job, question, boundedParts, run)
  return chain(verifyAgain(job satisfies AnswerJob | MergeJob, written, boundedParts, run), (outcome) => ({
    outcome,
    used: { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 },
  }))
}
