import type { MaybePromise, Run, SearchUsage } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { after } from '../ask/ask-model.ts'
import type { AnswerJob, Job, JobRecord, MergeJob, Outcome } from '../strategy/job.ts'
import type { SearchParts } from './search-options.ts'
import { verdictOf, type Used, type Verification, type WrittenAnswer } from './parts.ts'

/** Does one job by asking the part that it is for. */
export function perform(job: Job, question: string, parts: SearchParts, run: Run): MaybePromise<JobRecord> {
  const { sample } = job
  switch (job.kind) {
    case 'expand': {
      const { node, context, repair } = job
      return after(parts.proposer.propose({ question, node, context, repair, sample }, run), (made) =>
        record(made, { kind: 'expand', text: made.text, reflection: made.reflection, options: [...made.options] }),
      )
    }
    case 'grade': {
      const { nodes, outcome, context, repair } = job
      return after(parts.grader.grade({ question, nodes, outcome, context, repair, sample }, run), (made) =>
        record(made, { kind: 'grade', grades: [...made.grades] }),
      )
    }
    case 'answer': {
      const written = parts.answerer.answer({ question, from: job.from, sample }, run)
      return flat(after(written, (answer) => verified(job, answer, parts, run)))
    }
    case 'merge': {
      const { answers } = job
      const written = parts.answerer.merge?.({ question, answers, sample }, run) ?? { text: answers[0]! }
      return flat(after(written, (answer) => verified(job, answer, parts, run)))
    }
  }
}

function verified(
  job: AnswerJob | MergeJob,
  answer: WrittenAnswer,
  { verifier }: SearchParts,
  run: Run,
): MaybePromise<JobRecord> {
  const { kind } = job
  const text = answer.text.trim()
  if (!verifier) return record(answer, { kind, text, verdict: null })
  const judged = (said: Verification): JobRecord => record(answer, { kind, text, verdict: verdictOf(said) })
  // An answer is not lost because the code that checks it fails.
  const failed = (error: unknown): JobRecord => {
    const reason = `the verifier failed: ${error instanceof Error ? error.message : String(error)}`
    return judged({ accepted: false, score: 0, reason })
  }
  try {
    const said = verifier(text, kind === 'answer' ? job.from[0]! : null, run)
    return isThenable(said) ? said.then(judged, failed) : judged(said)
  } catch (error) {
    return failed(error)
  }
}

/** A promise of a promise is a promise; a plain value stays one. */
const flat = <T>(value: MaybePromise<MaybePromise<T>>): MaybePromise<T> => value as MaybePromise<T>

const ONE_CALL: SearchUsage = { calls: 1, promptTokens: 0, completionTokens: 0, cost: 0 }

const record = ({ used }: Used, outcome: Outcome): JobRecord => ({ outcome, used: { ...(used ?? ONE_CALL) } })
