import type { MaybePromise, Run, SearchUsage } from '@x/interfaces'
import type { Grade, ProposedOption, Verdict } from '../strategy/job.ts'
import type { ThinkNode } from '../tree/think-node.ts'

/** What every question to a part of a search carries. */
export interface Asked {
  readonly question: string
  /** Tells equal questions apart, so that two trees get two answers. */
  readonly sample: number
}

/** What a part used, when it used a model; by default one call of unknown size. */
export interface Used {
  readonly used?: SearchUsage | undefined
}

/** A question for the options after a node. */
export interface ProposeRequest extends Asked {
  readonly node: ThinkNode
  /** What earlier tries taught, or null. */
  readonly context: string | null
  /** An earlier reply that could not be read, or null. */
  readonly repair: string | null
}

/** Options for the step after a node. */
export interface Proposal extends Used {
  /** The reply they were read from. */
  readonly text: string
  readonly reflection: string
  readonly options: readonly ProposedOption[]
}

/** Proposes the next steps. */
export interface Proposer {
  propose(request: ProposeRequest, run: Run): MaybePromise<Proposal>
}

/** A question for the grades of one node or of several children of one parent. */
export interface GradeRequest extends Asked {
  readonly nodes: readonly ThinkNode[]
  /** Whether finished answers are graded and not steps on the way. */
  readonly outcome: boolean
  readonly context: string | null
  readonly repair: string | null
}

/** Grades in the order of the nodes. */
export interface Grading extends Used {
  readonly grades: readonly Grade[]
}

/** Grades nodes. */
export interface Grader {
  grade(request: GradeRequest, run: Run): MaybePromise<Grading>
}

/** An answer to the question. */
export interface WrittenAnswer extends Used {
  readonly text: string
}

/** Writes answers. */
export interface Answerer {
  /** Answers from the paths to some nodes; a root alone is the question without any step. */
  answer(request: Asked & { readonly from: readonly ThinkNode[] }, run: Run): MaybePromise<WrittenAnswer>
  /** Makes one answer of several; without it the most frequent one is taken. */
  merge?(request: Asked & { readonly answers: readonly string[] }, run: Run): MaybePromise<WrittenAnswer>
}

/** What a verifier may say: right or wrong, how right in [0, 1], or both with a reason. */
export type Verification = boolean | number | (Partial<Verdict> & { readonly accepted: boolean })

/** Checks an answer by code: tests, arithmetic, a tool. It outweighs every grade. */
export type Verifier = (answer: string, node: ThinkNode | null, run: Run) => MaybePromise<Verification>

/** Brings what a verifier said into one form; a number accepts from 1. */
export function verdictOf(said: Verification): Verdict {
  if (typeof said === 'boolean') return { accepted: said, score: said ? 1 : 0, reason: null }
  if (typeof said === 'number') return { accepted: said >= 1, score: Math.min(1, Math.max(0, said)), reason: null }
  return { accepted: said.accepted, score: said.score ?? (said.accepted ? 1 : 0), reason: said.reason ?? null }
}
