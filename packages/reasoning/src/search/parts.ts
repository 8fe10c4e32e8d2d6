import type { MaybePromise, Run, SearchUsage } from '@x/interfaces'
import type { FingerprintedPart } from '../strategy/fingerprint.ts'
import type { AnswerVerdict, Grade, ProposedOption } from '../strategy/job.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { toGrade } from '../tree/tree.ts'

/** The fields that every request to a part of a search has. */
export interface PartRequest {
  readonly question: string
  /** Number that distinguishes equal requests, so that two trees get two answers. */
  readonly sample: number
  /** Name of the model that the method wants; see `proposerByModel`. */
  readonly model?: string | undefined
}

/** The usage that a part reports with its result. */
export interface PartUsage {
  /** Default: one call of unknown size. */
  readonly used?: SearchUsage | undefined
  /** Warnings for the caller of the search, such as of a shortened prompt. */
  readonly warnings?: readonly string[] | undefined
}

/** A request for options for the step after a node. */
export interface ProposeRequest extends PartRequest {
  readonly node: ThinkNode
  /** Earlier attempts and their ratings as text, or null. */
  readonly context: string | null
  /** An earlier reply that could not be read, or null. */
  readonly repair: string | null
}

/** Options for the step after a node. */
export interface Proposal extends PartUsage {
  /** The reply that the options were read from. */
  readonly text: string
  /** A review of the steps so far; may be empty. */
  readonly reflection: string
  readonly options: readonly ProposedOption[]
}

/** Proposes the next steps. */
export interface Proposer extends FingerprintedPart {
  propose(request: ProposeRequest, run: Run): MaybePromise<Proposal>
}

/** A request for the grades of one node or of several children of one parent. */
export interface GradeRequest extends PartRequest {
  readonly nodes: readonly ThinkNode[]
  /** True if the nodes are finished answers, false if they are steps. */
  readonly isOutcome: boolean
  /** Earlier attempts and their ratings as text, or null. */
  readonly context: string | null
  /** An earlier reply that could not be read, or null. */
  readonly repair: string | null
}

/** The result of a grader. */
export interface Grading extends PartUsage {
  /** One grade per node, in the order of the nodes. */
  readonly grades: readonly Grade[]
}

/** Grades nodes. */
export interface Grader extends FingerprintedPart {
  grade(request: GradeRequest, run: Run): MaybePromise<Grading>
}

/** An answer to the question. */
export interface WrittenAnswer extends PartUsage {
  readonly text: string
}

/** Writes answers. */
export interface Answerer extends FingerprintedPart {
  /** Writes an answer from the paths to some nodes; a root alone is the question without any step. */
  answer(request: PartRequest & { readonly from: readonly ThinkNode[] }, run: Run): MaybePromise<WrittenAnswer>
  /** Merges several answers into one; without it, the most frequent answer counts. */
  merge?(request: PartRequest & { readonly answers: readonly string[] }, run: Run): MaybePromise<WrittenAnswer>
}

/** The result of a verifier: right or wrong, a score in [0, 1], or both with a reason. */
export type VerifierResult = boolean | number | (Partial<AnswerVerdict> & { readonly accepted: boolean })

/** Checks an answer by code, such as tests, arithmetic or a tool. The result outweighs every grade. */
export type Verifier = (answer: string, node: ThinkNode | null, run: Run) => MaybePromise<VerifierResult>

/** Converts the result of a verifier to a verdict; a number of at least 1 accepts the answer. */
export function toVerdict(result: VerifierResult): AnswerVerdict {
  if (typeof result === 'boolean') return { accepted: result, score: result ? 1 : 0, reason: null }
  if (typeof result === 'number') {
    return { accepted: result >= 1, score: toGrade(result) ?? 0, reason: null }
  }
  const { accepted, score = accepted ? 1 : 0, reason = null } = result
  return { accepted, score: toGrade(score) ?? 0, reason }
}
