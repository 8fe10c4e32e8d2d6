import type { SearchUsage } from '@x/interfaces'
import type { ThinkNode } from '../tree/think-node.ts'

/** Where a job stands in the serial order: compared number by number, smaller first. */
export type Place = readonly number[]

interface JobBase {
  /** Unique in its search and the same in every run of it. */
  readonly id: string
  readonly place: Place
  /** How many questions in a row had to be answered before it: when not all can run, the lower level goes first. */
  readonly level: number
  /** Tells equal questions apart, so that two trees get two answers. */
  readonly sample: number
}

/** Asks for options for the step after a node. */
export interface ExpandJob extends JobBase {
  readonly kind: 'expand'
  readonly node: ThinkNode
  /** What earlier tries taught, or null. */
  readonly context: string | null
  /** An earlier reply that could not be read, or null. */
  readonly repair: string | null
}

/** Asks for a grade of one node, or of several children of one parent. */
export interface GradeJob extends JobBase {
  readonly kind: 'grade'
  readonly nodes: readonly ThinkNode[]
  /** Whether a finished answer is graded and not a step on the way. */
  readonly outcome: boolean
  readonly context: string | null
  readonly repair: string | null
}

/** Asks for an answer from the paths to some nodes. */
export interface AnswerJob extends JobBase {
  readonly kind: 'answer'
  readonly from: readonly ThinkNode[]
}

/** Asks for one answer out of several. */
export interface MergeJob extends JobBase {
  readonly kind: 'merge'
  readonly question: string
  readonly answers: readonly string[]
}

/** One question to a model; each costs one call. */
export type Job = ExpandJob | GradeJob | AnswerJob | MergeJob

/** An option for a next step. */
export interface ProposedOption {
  content: string
  /** What carrying it out gave. */
  output?: string | null | undefined
  /** Its grade in [0, 1], when the proposer grades as well. */
  grade?: number | null | undefined
}

/** What a verifier found. */
export interface Verdict {
  accepted: boolean
  /** In [0, 1]. */
  score: number
  reason: string | null
}

/** A grade in [0, 1], null when it could not be read, and the words it was read from. */
export interface Grade {
  value: number | null
  details: string
}

/** What came of a job: plain JSON, so that a journal can keep it. */
export type Outcome =
  | { kind: 'expand'; text: string; reflection: string; options: ProposedOption[] }
  | { kind: 'grade'; grades: Grade[] }
  | { kind: 'answer' | 'merge'; text: string; verdict: Verdict | null }
  | { kind: 'failed'; code: string; message: string }

/** What is kept of a finished job. */
export interface JobRecord {
  outcome: Outcome
  used: SearchUsage
}

/** Compares two places; negative when the first comes first. */
export function comparePlaces(a: Place, b: Place): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
