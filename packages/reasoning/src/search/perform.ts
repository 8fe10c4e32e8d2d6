import type { MaybePromise, Run, SearchUsage } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import type { AnswerJob, SearchJob, JobOutcome, JobRecord, MergeJob } from '../strategy/job.ts'
import { findMajority } from '../strategy/vote.ts'
import { chain } from './chain.ts'
import { toVerdict, type PartUsage, type VerifierResult, type WrittenAnswer } from './parts.ts'
import type { SearchParts } from './search-options.ts'

/** Performs one job: asks the part of the search that is responsible for its kind. */
export function perform(job: SearchJob, question: string, parts: SearchParts, run: Run): MaybePromise<JobRecord> {
  const { sample } = job
  switch (job.kind) {
    case 'expand': {
      const { node, context, repair } = job
      return chain(parts.proposer.propose({ question, node, context, repair, sample }, run), (made) =>
        toRecord(made, { kind: 'expand', text: made.text, reflection: made.reflection, options: [...made.options] }),
      )
    }
    case 'grade': {
      const { nodes, isOutcome, context, repair } = job
      return chain(parts.grader.grade({ question, nodes, isOutcome, context, repair, sample }, run), (made) =>
        toRecord(made, { kind: 'grade', grades: [...made.grades] }),
      )
    }
    case 'answer': {
      const written = parts.answerer.answer({ question, from: job.from, sample }, run)
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

function verify(
  job: AnswerJob | MergeJob,
  answer: WrittenAnswer,
  { verifier }: SearchParts,
  run: Run,
): MaybePromise<JobRecord> {
  const { kind } = job
  const text = answer.text.trim()
  if (!verifier) return toRecord(answer, { kind, text, verdict: null })
  const succeed = (result: VerifierResult): JobRecord => toRecord(answer, { kind, text, verdict: toVerdict(result) })
  // An answer is not lost because the code that checks it fails.
  const fail = (error: unknown): JobRecord => {
    const reason = `the verifier failed: ${error instanceof Error ? error.message : String(error)}`
    return succeed({ accepted: false, score: 0, reason })
  }
  try {
    const result = verifier(text, kind === 'answer' ? job.from[0]! : null, run)
    return isThenable(result) ? result.then(succeed, fail) : succeed(result)
  } catch (error) {
    return fail(error)
  }
}

const ONE_CALL: SearchUsage = { calls: 1, promptTokens: 0, completionTokens: 0, cost: 0 }

const toRecord = ({ used }: PartUsage, outcome: JobOutcome): JobRecord => ({
  outcome,
  used: { ...(used ?? ONE_CALL) },
})
