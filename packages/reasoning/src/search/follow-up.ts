import type { Grade, JobOutcome, SearchJob } from '../strategy/job.ts'

/** The reason why the outcome of a job is of no use, or of less than it should be. */
export interface JobProblem {
  readonly code: string
  readonly message: string
}

/** Finds what is wrong with an outcome: the call failed, or the reply could not be read; null when nothing is. */
export function problemOf(job: SearchJob, outcome: JobOutcome): JobProblem | null {
  if (outcome.kind === 'failed') return { code: outcome.code, message: outcome.message }
  const reply = unreadReply(job, outcome)
  if (reply === null) return null
  const what = outcome.kind === 'expand' ? 'no options' : 'no rating'
  return { code: 'invalid-result', message: `${what} could be read from the reply ${JSON.stringify(excerpt(reply))}` }
}

/**
 * Returns the job that asks once more: an answer that failed is asked for again, a reply that cannot be read is shown to
 * the model with a note. Null when there is nothing to ask again.
 */
export function followUp(job: SearchJob, outcome: JobOutcome, repairs: boolean): SearchJob | null {
  if (job.kind === 'answer' || job.kind === 'merge') {
    if (outcome.kind !== 'failed') return null
    // A cache would return an empty answer again: its repetition is another sample.
    return outcome.code === EMPTY ? { ...job, sample: -1 - job.sample } : job
  }
  if (!repairs || job.repair !== null) return null
  const repair = unreadReply(job, outcome)
  return repair === null ? null : { ...job, id: `${job.id}!`, repair }
}

/** Combines the outcomes of a job and of its follow-up: the later one counts as far as it could be read. */
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
const EMPTY = 'no-response'

/** Makes the outcome of an answer without text. */
export const emptyAnswer = (): JobOutcome => ({ kind: 'failed', code: EMPTY, message: 'the answer was empty' })

/** Returns the reply that could not be read; null when it could. A proposer that says nothing at all has no options. */
function unreadReply(job: SearchJob, outcome: JobOutcome): string | null {
  if (outcome.kind === 'expand') return outcome.options.length === 0 && outcome.text !== '' ? outcome.text : null
  if (outcome.kind !== 'grade' || job.kind !== 'grade') return null
  const at = job.nodes.findIndex((_, i) => !isRead(outcome.grades[i]))
  return at < 0 ? null : (outcome.grades[at]?.details ?? '')
}

const isRead = (grade: Grade | undefined): boolean => grade !== undefined && grade.value !== null

const EXCERPT = 80

const excerpt = (text: string): string => (text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text)
