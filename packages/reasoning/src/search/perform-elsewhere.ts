import type { MaybePromise, Reservation, Run } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { scopeOf } from '@x/kernel/run'
import type { AnswerJob, JobOutcome, JobRecord, MergeJob, SearchJob } from '../strategy/job.ts'
import { toRequest, type JobRequest } from '../strategy/job-request.ts'
import { DEFAULT_BOUNDS } from './bounds.ts'
import { chain } from './chain.ts'
import { perform, verifyAgain } from './perform.ts'
import { readRecord } from './read-record.ts'
import type { SearchParts } from './search-options.ts'

/** Performs a job here, or elsewhere where the search says so. */
export function performAnywhere(
  job: SearchJob,
  question: string,
  parts: SearchParts,
  run: Run,
): MaybePromise<JobRecord> {
  if (!parts.perform) return perform(job, question, parts, run)
  const request = requestOf(job, question, null, parts)
  // The models elsewhere know nothing of the budget of this run.
  const reserved = scopeOf(run)?.budget?.reserve({ calls: 1, tokens: 0, cost: 0 })
  return chain(reserved, (reservation) => settled(parts.perform!(job, request, run), job, parts, reservation))
}

/** Checks an answer of an earlier run again, here or elsewhere. */
export function verifyAnywhere(
  job: AnswerJob | MergeJob,
  { question, text }: { readonly question: string; readonly text: string },
  parts: SearchParts,
  run: Run,
): MaybePromise<JobOutcome> {
  if (!parts.perform || !parts.verifier) return verifyAgain(job, text, parts, run)
  const made = parts.perform(job, requestOf(job, question, text, parts), run)
  return chain(made, (value) => readRecord(job, value, parts).outcome)
}

const requestOf = (job: SearchJob, question: string, written: string | null, bounds: SearchParts): JobRequest => {
  const { maxOptions, maxOptionLength } = { ...DEFAULT_BOUNDS, ...definedOnly(bounds) }
  return toRequest(job, { question, written, maxOptions, maxOptionLength })
}

const definedOnly = ({ maxOptions, maxOptionLength }: SearchParts) => ({
  ...(maxOptions !== undefined && { maxOptions }),
  ...(maxOptionLength !== undefined && { maxOptionLength }),
})

/** Reads what came back, and settles it in the budget of the run. */
function settled(
  made: MaybePromise<unknown>,
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
    // What it has cost is not known: it was one call.
    reservation?.settle({ calls: 1, tokens: 0, cost: 0 })
    throw error
  }
  if (isThenable(made)) return made.then(read).then(undefined, fail)
  try {
    return read(made)
  } catch (error) {
    return fail(error)
  }
}
