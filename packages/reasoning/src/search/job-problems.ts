import type { ModelErrorKind } from '@x/interfaces'
import { redact } from '@x/kernel/redact'
import { comparePositions, type Grade, type JobOutcome, type JobPosition, type SearchJob } from '../strategy/job.ts'
import { bestOf } from '../tree/terminal.ts'

/** A defect of the outcome of a job. */
export interface JobProblem {
  readonly code: string
  readonly message: string
  /** Kind of a failed model call. */
  readonly errorKind?: ModelErrorKind | undefined
}

/** Finds the problem of an outcome: the call failed, or the reply could not be read; null if there is none. */
export function problemOf(job: SearchJob, outcome: JobOutcome): JobProblem | null {
  if (outcome.kind === 'failed') {
    const { code, message, errorKind } = outcome
    return { code, message, ...(errorKind && { errorKind }) }
  }
  const reply = unreadReply(job, outcome)
  if (reply === null) return null
  const missing = outcome.kind === 'expand' ? 'no options' : 'no rating'
  return {
    code: 'invalid-result',
    message: `${missing} could be read from the reply ${JSON.stringify(excerpt(reply))}`,
  }
}

/**
 * Returns the job that asks once more: a failed answer is asked again, from the best path alone if all were too long together, and an unreadable reply is shown to the model with a
 * note. Null if there is nothing to ask again.
 */
export function followUp(job: SearchJob, outcome: JobOutcome, repairs: boolean): SearchJob | null {
  if (job.kind === 'answer' || job.kind === 'merge') {
    if (outcome.kind !== 'failed') return null
    if (job.kind === 'answer' && outcome.errorKind === 'context-overflow' && job.from.length > 1)
      return { ...job, id: `${job.id}!`, from: [bestOf(job.from)!] }
    // A cache would return the empty answer again: the second attempt is another sample.
    return outcome.code === EMPTY_ANSWER_CODE ? { ...job, sample: -1 - job.sample } : job
  }
  if (!repairs || job.repair !== null) return null
  const repair = unreadReply(job, outcome)
  return repair === null ? null : { ...job, id: `${job.id}!`, repair }
}

/** Combines the outcomes of a job and its follow-up: the follow-up counts as far as it could be read. */
export function combineOutcomes(first: JobOutcome, second: JobOutcome): JobOutcome {
  if (second.kind === 'failed') return first
  if (second.kind === 'expand') return second.options.length > 0 ? second : first
  if (second.kind !== 'grade' || first.kind !== 'grade') return second
  const grades = second.grades.map((grade, i) =>
    isRead(grade) ? grade : isRead(first.grades[i]) ? first.grades[i]! : grade,
  )
  return { kind: 'grade', grades }
}

/** The code of an outcome whose text was empty. */
const EMPTY_ANSWER_CODE = 'no-response'

/** Makes the outcome of an answer without text. */
export const emptyAnswer = (): JobOutcome => ({
  kind: 'failed',
  code: EMPTY_ANSWER_CODE,
  message: 'the answer was empty',
})

/** Returns the reply if it could not be read, else null. An empty reply of a proposer means that there are no options. */
function unreadReply(job: SearchJob, outcome: JobOutcome): string | null {
  if (outcome.kind === 'expand') return outcome.options.length === 0 && outcome.text !== '' ? outcome.text : null
  if (outcome.kind !== 'grade' || job.kind !== 'grade') return null
  const at = job.nodes.findIndex((_, i) => !isRead(outcome.grades[i]))
  return at < 0 ? null : (outcome.grades[at]?.details ?? '')
}

const isRead = (grade: Grade | undefined): boolean => grade !== undefined && grade.value !== null

const EXCERPT_CHARS = 80

const excerpt = (text: string): string => (text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text)

/** Plural names of the jobs; a merge writes an answer too. */
const JOB_NAMES = { grade: 'gradings', expand: 'proposals', answer: 'answers', merge: 'answers' } as const

/** Tells what was thrown, also what has no text, without what looks like a key: it is told, kept and shown. */
export function tellError(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message : error
    return redact(typeof message === 'object' && message !== null ? JSON.stringify(message) : String(message), [])
  } catch {
    return 'an error that cannot be told'
  }
}

/** The beginning of the reason of a verdict that a failed verifier could not give. */
export const VERIFIER_FAILED = 'the verifier failed: '

const VERIFICATIONS = 'verifications'

/** The number of jobs of a kind, and of those that failed, with the failure of the last one in the serial order. */
interface FailureCount {
  readonly ended: number
  readonly failed: number
  readonly last: { readonly position: JobPosition; readonly message: string } | null
}

/** Counts the jobs and the verifications of a search, and those that failed despite a second attempt. */
export class FailedCalls {
  readonly #counts = new Map<string, FailureCount>()

  /** Counts a finished job with the verification of its answer. */
  count({ kind, position }: SearchJob, outcome: JobOutcome, problem: JobProblem | null): void {
    this.#add(JOB_NAMES[kind], position, problem?.message ?? null)
    if ((outcome.kind !== 'answer' && outcome.kind !== 'merge') || !outcome.verdict) return
    const { reason } = outcome.verdict
    const failure = reason?.startsWith(VERIFIER_FAILED) ? reason.slice(VERIFIER_FAILED.length) : null
    this.#add(VERIFICATIONS, position, failure)
  }

  #add(name: string, position: JobPosition, message: string | null): void {
    const { ended, failed, last } = this.#counts.get(name) ?? { ended: 0, failed: 0, last: null }
    // By position and not by time, so that the warning is the same in every run.
    const isLast = message !== null && (last === null || comparePositions(last.position, position) <= 0)
    this.#counts.set(name, {
      ended: ended + 1,
      failed: failed + (message === null ? 0 : 1),
      last: isLast ? { position, message } : last,
    })
  }

  /** One warning for each kind of job of which some failed. */
  get warnings(): readonly string[] {
    return [...new Set([...Object.values(JOB_NAMES), VERIFICATIONS])].flatMap((name) => {
      const { ended = 0, failed = 0, last = null } = this.#counts.get(name) ?? {}
      return last ? [`${failed} of ${ended} ${name} failed, the last with: ${last.message}`] : []
    })
  }
}
