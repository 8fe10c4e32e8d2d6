import type { ModelErrorKind, SearchUsage } from '@x/interfaces'
import type { ThinkNode } from '../tree/think-node.ts'

/** The position of a job in the serial order: compared number by number, smaller first. */
export type JobPosition = readonly number[]

interface JobBase {
  /** Unique in the search and the same in every run of it. */
  readonly id: string
  readonly position: JobPosition
  /** Number of jobs in a row that had to finish before this one; if concurrency is limited, lower levels run first. */
  readonly level: number
  /** Number that distinguishes equal questions, so that two trees get two answers. */
  readonly sample: number
  /** Name of the model to ask, for parts with several. */
  readonly model?: string | undefined
}

/** A job that asks for options for the step after a node. */
export interface ExpandJob extends JobBase {
  readonly kind: 'expand'
  readonly node: ThinkNode
  /** Earlier attempts and their ratings as text, or null. */
  readonly context: string | null
  /** An earlier reply that could not be read, or null. */
  readonly repair: string | null
}

/** A job that asks for the grades of one node, or of several children of one parent. */
export interface GradeJob extends JobBase {
  readonly kind: 'grade'
  readonly nodes: readonly ThinkNode[]
  /** True if the nodes are finished answers, false if they are steps. */
  readonly isOutcome: boolean
  /** Earlier attempts and their ratings as text, or null. */
  readonly context: string | null
  /** An earlier reply that could not be read, or null. */
  readonly repair: string | null
}

/** A job that asks for an answer from the paths to some nodes. */
export interface AnswerJob extends JobBase {
  readonly kind: 'answer'
  readonly from: readonly ThinkNode[]
}

/** A job that asks to merge several answers into one. */
export interface MergeJob extends JobBase {
  readonly kind: 'merge'
  readonly question: string
  readonly answers: readonly string[]
}

/** One question to a model; every job costs one call. Narrow the type by `kind`: `Extract<SearchJob, { kind: 'grade' }>`. */
export type SearchJob = ExpandJob | GradeJob | AnswerJob | MergeJob

/** An option for the next step. */
export interface ProposedOption {
  content: string
  /** The output of the option's code, if it was run. */
  output?: string | null | undefined
  /** The grade of the option in [0, 1], if the proposer grades too. */
  grade?: number | null | undefined
}

/** The verdict of a verifier on an answer. */
export interface AnswerVerdict {
  accepted: boolean
  /** Score in [0, 1]. */
  score: number
  reason: string | null
}

/** The grade of a node. */
export interface Grade {
  /** In [0, 1]; null if it could not be read. */
  value: number | null
  /** The text that the grade was read from. */
  details: string
}

/** The outcome of a job, as plain JSON for journals. */
export type JobOutcome =
  | { kind: 'expand'; text: string; reflection: string; options: ProposedOption[] }
  | { kind: 'grade'; grades: Grade[] }
  | { kind: 'answer' | 'merge'; text: string; verdict: AnswerVerdict | null }
  | { kind: 'failed'; code: string; message: string; errorKind?: ModelErrorKind | undefined }

/** The outcome and the usage of a finished job, as a journal stores them. */
export interface JobRecord {
  outcome: JobOutcome
  used: SearchUsage
  /** Warnings of the parts of the search, and of texts that were cut. */
  warnings?: readonly string[] | undefined
  /** The fingerprints of the method and of the part that answered, and the name of the part's model. */
  by?: { method?: string | undefined; part?: string | undefined; model?: string | undefined } | undefined
}

/** Returns the nodes of a job; a merge has none. */
export function nodesOf(job: SearchJob): readonly ThinkNode[] {
  switch (job.kind) {
    case 'expand':
      return [job.node]
    case 'grade':
      return job.nodes
    case 'answer':
      return job.from
    case 'merge':
      return []
  }
}

/** Compares two positions; negative if the first one comes first. */
export function comparePositions(a: JobPosition, b: JobPosition): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
