import type { ErrorCode, SearchUsage } from '@x/interfaces'
import { currentRun, wait, XError, type Steps } from '@x/kernel'
import { methodFrom } from '../methods/method-of.ts'
import { chain } from '../search/chain.ts'
import { readRecord } from '../search/read-record.ts'
import type { SearchResult } from '../search/search-options.ts'
import type { ToldResult } from '../search/search-events.steps.ts'
import { searchSteps, type SearchCall } from '../search/search.steps.ts'
import type { PerformJob } from '../strategy/job-request.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { ReasonPrompt } from './prompt.ts'
import type { Reasoner } from './reasoner.ts'

/** Options of `rateNode`. */
export interface RateNodeOptions {
  /** Facts known to be true, which only the grader sees. */
  groundTruth?: string | null | undefined
  /** True if the node is a finished answer, false if it is a step; default false. */
  isOutcome?: boolean | undefined
}

/**
 * Rates a node, in [0, 1], and records the grader's reply on it. A rated node keeps its value, even 0; a node with an
 * unreadable rating is rated again.
 */
export function* rateNode(
  reasoner: Reasoner,
  node: ThinkNode,
  { groundTruth = null, isOutcome = false }: RateNodeOptions,
): Steps<number> {
  if (node.ratingDetails && (node.value > 0 || node.grade !== null)) return node.value
  const run = yield* currentRun()
  const question = node.path[0]!.content
  const { lessons: context } = reasoner
  const request = { question, nodes: [node], isOutcome, context, repair: null, sample: 0 }
  const { grades } = yield* wait(reasoner.graderFor(groundTruth).grade(request, run), reasoner.grader.name)
  const grade = grades[0] ?? { value: null, details: '' }
  node.ratingDetails = grade.details
  node.grade = grade.value
  node.value = grade.value ?? 0
  return node.value
}

/** The connections of a search to its chat. */
export interface ChatConnections extends SearchCall {
  /** Counts the usage of a job that was performed elsewhere. */
  readonly credit: (used: SearchUsage) => void
}

/** Searches for the answer to a question with the settings of an agent; throws if there is none. */
export function* answerBySearch(
  reasoner: Reasoner,
  { question, groundTruth }: ReasonPrompt,
  { credit, ...call }: ChatConnections,
): Steps<ToldResult & { readonly answer: string }> {
  const method = methodFrom(reasoner.settings)
  const parts = reasoner.partsFor(groundTruth)
  const perform = parts.perform && withCredit(parts.perform, credit)
  const result = yield* searchSteps(question, { ...parts, perform, method, journal: call.kept }, call)
  reasoner.root = result.trees.at(-1) ?? null
  reasoner.beliefs = result.beliefs
  const { status, used, beliefs } = result
  return { answer: answerOf(result), status, used, ...(beliefs && { beliefs }) }
}

/** Wraps `perform`: counts the usage of jobs that are performed elsewhere, as models here count theirs. */
const withCredit =
  (perform: PerformJob, credit: (used: SearchUsage) => void): PerformJob =>
  (job, request, run) =>
    chain(perform(job, request, run), (value) => {
      const record = readRecord(job, value, request)
      if (request.written === null) credit(record.used)
      return record
    })

/** Returns the answer of a search; throws if there is none. */
function answerOf({ answer, reason, failures, status, node }: SearchResult): string {
  if (answer !== null) return answer
  // A used-up budget of the chat ends the chat; it is not a failure of the search.
  const code: ErrorCode = failures.some((failure) => failure.code === 'budget-exceeded')
    ? 'budget-exceeded'
    : 'no-response'
  throw new XError(code, `the search of a reasoning agent found no answer: ${reason}; see \`details\``, {
    details: { status, best: node?.trajectory ?? null, failures },
  })
}
