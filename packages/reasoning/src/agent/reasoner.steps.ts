import type { ErrorCode, SearchEvent, XEvent } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import type { Journal } from '../search/search-journal.ts'
import { methodOf } from '../methods/method-of.ts'
import type { SearchResult } from '../search/search-options.ts'
import { searchSteps } from '../search/search.steps.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { AskedQuestion } from './question.ts'
import type { Reasoner } from './reasoner.ts'

/** Options of rating one node. */
export interface RateNodeOptions {
  /** What is known to be true; only the grader sees it. */
  groundTruth?: string | null | undefined
  /** Whether the node is a finished answer and not a step on the way; default false. */
  isOutcome?: boolean | undefined
}

/**
 * Rates a node, in [0, 1], and notes the grader's words on it. A node with such words keeps its value, the worst one as
 * well; one whose words held no grade is asked about again.
 */
export function* rateNode(
  reasoner: Reasoner,
  node: ThinkNode,
  { groundTruth = null, isOutcome = false }: RateNodeOptions,
): Steps<number> {
  if (node.ratingDetails && (node.value > 0 || node.grade !== null)) return node.value
  const run = yield* face()
  const question = node.path[0]!.content
  const { lessons: context } = reasoner
  const request = { question, nodes: [node], outcome: isOutcome, context, repair: null, sample: 0 }
  const { grades } = yield* wait(reasoner.graderFor(groundTruth).grade(request, run), reasoner.grader.name)
  const grade = grades[0] ?? { value: null, details: '' }
  node.ratingDetails = grade.details
  node.grade = grade.value
  node.value = grade.value ?? 0
  return node.value
}

/** How a search for an answer is shown, and where its results are kept. */
export interface Answering {
  readonly show: (event: SearchEvent) => XEvent | undefined
  readonly journal?: Journal | undefined
}

/** Searches for the answer to a question, tree by tree as the settings say; `show` makes events of its progress. */
export function* answerBySearch(
  reasoner: Reasoner,
  { prompt, groundTruth }: AskedQuestion,
  { show, journal }: Answering,
): Steps<string> {
  const method = methodOf(reasoner.settings)
  const result = yield* searchSteps(prompt, { ...reasoner.partsFor(groundTruth), method, journal }, show)
  reasoner.root = result.trees.at(-1) ?? null
  return answerIn(result)
}

/** The answer of a search; without any, what went wrong first. */
function answerIn({ answer, reason, failures, status }: SearchResult): string {
  if (answer !== null) return answer
  const [first] = failures
  const known = first !== undefined && first.code !== 'failed'
  const code = known ? (first.code as ErrorCode) : status === 'budget' ? 'budget-exceeded' : 'no-response'
  throw new XError(code, `a search found no answer: ${reason}`, { details: { status, failures } })
}
