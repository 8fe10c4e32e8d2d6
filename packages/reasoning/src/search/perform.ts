import type { MaybePromise, Run } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import type { AnswerJob, JobOutcome, JobRecord, MergeJob, SearchJob } from '../strategy/job.ts'
import { findMajority } from '../strategy/vote.ts'
import { boundGrading, boundProposal } from './bounds.ts'
import { chain } from './chain.ts'
import { checkAnswer, checkGrading, checkProposal, checkVerdict, usageOf } from './check-results.ts'
import { emptyAnswer, tellError, VERIFIER_FAILED } from './job-problems.ts'
import { toVerdict, type PartUsage, type VerifierResult, type WrittenAnswer } from './parts.ts'
import type { SearchParts } from './search-options.ts'

/** The parts of a search, and who is told of an answer before it is verified. */
export interface TellingParts extends SearchParts {
  /** Takes an answer that has been written and has no verdict yet. */
  readonly onWritten?: ((job: AnswerJob | MergeJob, text: string) => void) | undefined
}

/** Performs one job: asks the proposer, grader or answerer. */
export function perform(job: SearchJob, question: string, parts: TellingParts, run: Run): MaybePromise<JobRecord> {
  const { sample, model } = job
  switch (job.kind) {
    case 'expand': {
      const { node, context, repair } = job
      return chain(parts.proposer.propose({ question, node, context, repair, sample, model }, run), (proposal) =>
        toRecord(proposal, boundProposal(checkProposal(proposal), parts)),
      )
    }
    case 'grade': {
      const { nodes, isOutcome, context, repair } = job
      return chain(parts.grader.grade({ question, nodes, isOutcome, context, repair, sample, model }, run), (grading) =>
        toRecord(grading, boundGrading(checkGrading(grading, nodes.length), parts)),
      )
    }
    case 'answer': {
      const written = parts.answerer.answer({ question, from: job.from, sample, model }, run)
      return chain(written, (answer) => verify(job, answer, parts, run))
    }
    case 'merge': {
      const { answers } = job
      const written = parts.answerer.merge?.({ question, answers, sample }, run) ?? {
        text: answers[findMajority(answers).index]!,
      }
      return chain(written, (answer) => verify(job, answer, parts, run))
    }
  }
}

/** Verifies an answer of an earlier run again: that run may have had another verifier. */
export function verifyAgain(
  job: AnswerJob | MergeJob,
  text: string,
  parts: TellingParts,
  run: Run,
): MaybePromise<JobOutcome> {
  return chain(verify(job, { text }, parts, run), ({ outcome }) => outcome)
}

function verify(
  job: AnswerJob | MergeJob,
  answer: WrittenAnswer,
  { verifier, onWritten }: TellingParts,
  run: Run,
): MaybePromise<JobRecord> {
  const { kind } = job
  const text = checkAnswer(answer).text.trim()
  if (text === '') return toRecord(answer, { outcome: emptyAnswer() })
  if (!verifier) return toRecord(answer, { outcome: { kind, text, verdict: null } })
  onWritten?.(job, text)
  const succeed = (result: VerifierResult): JobRecord =>
    toRecord(answer, { outcome: { kind, text, verdict: toVerdict(checkVerdict(result)) } })
  // The answer stays if the verifier fails.
  const fail = (error: unknown): JobRecord =>
    succeed({ accepted: false, score: 0, reason: `${VERIFIER_FAILED}${tellError(error)}` })
  try {
    const result = verifier(text, kind === 'answer' ? job.from[0]! : null, run)
    return isThenable(result) ? result.then(succeed).then((record) => record, fail) : succeed(result)
  } catch (error) {
    return fail(error)
  }
}

/** The outcome of a job and warnings about it. */
interface OutcomeWithWarnings {
  readonly outcome: JobOutcome
  readonly warnings?: readonly string[]
}

function toRecord(usage: PartUsage, { outcome, warnings: more = [] }: OutcomeWithWarnings): JobRecord {
  const told: readonly unknown[] = Array.isArray(usage.warnings) ? usage.warnings : []
  const warnings = [...told.filter((text) => typeof text === 'string'), ...more]
  return { outcome, used: usageOf(usage), ...(warnings.length > 0 && { warnings }) }
}
