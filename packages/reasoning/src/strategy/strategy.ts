import type { Fingerprinted } from './fingerprint.ts'
import type { SearchJob, JobOutcome, AnswerVerdict } from './job.ts'
import type { Random } from './random.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { Tree } from '../tree/tree.ts'

/** A candidate for the answer of a search: the final one, or the best so far. */
export interface Candidate {
  /** The text of the answer; null while no answer was written. */
  readonly text: string | null
  /** The node that the answer was made from; null when there is no node. */
  readonly node: ThinkNode | null
  /** The verdict of the verifier; null without a verifier. */
  readonly verdict: AnswerVerdict | null
  /** Whether the method accepts it as the answer. */
  readonly accepted: boolean
}

/** The open jobs of a strategy in a form that tells which of them are new. */
export interface JobSource {
  /** Number of open jobs. */
  readonly size: number
  /** Whether this very job is open. */
  has(job: SearchJob): boolean
  /** Returns the jobs that were added since the last call, some of which may be closed again. */
  takePosted(): readonly SearchJob[]
}

/**
 * A search algorithm without side effects: the runner asks it for jobs and tells it their outcomes, in any order. Equal
 * outcomes give an equal tree, whatever the order.
 */
export interface Strategy {
  /** The trees in their current state. */
  readonly trees: readonly Tree[]
  /** Returns every job that can run now and has no outcome yet, in the serial order; does not change the state. */
  ask(): readonly SearchJob[]
  /** The same jobs as `ask` gives, where an `OpenJobs` has them: a search then looks at the new ones and not at them all. */
  readonly jobs?: JobSource | undefined
  /** Takes in the outcome of a job; ignores a job that is not open. */
  tell(job: SearchJob, outcome: JobOutcome): void
  /** The answer when the search is over; null before. */
  readonly answer: Candidate | null
  /** Returns the best candidate so far. */
  best(): Candidate
  /** Number of calls that the answer would need if the search were concluded now; default 0. */
  readonly reserve?: number
  /** Concludes the search: from now on asks only for what the answer needs. Without it a budget stops the search at once. */
  conclude?(): void
}

/** The input of a strategy. */
export interface SearchTask {
  readonly question: string
  /** Prefix of every id; tells the trees of a forest apart. */
  readonly id: string
  /** The sample number of a first question; repetition `k` has `sample + k * stride`, see `sampleOf`. */
  readonly sample: number
  readonly stride: number
  readonly random: Random
  /** Whether a verifier checks the answers: then grades need not have the last word. */
  readonly verified: boolean
}

/** Makes a strategy for one search. */
export interface Method extends Fingerprinted {
  (task: SearchTask): Strategy
}

/** Returns the sample number for repetition `k` of a question, counted from 0. */
export const sampleOf = (task: Pick<SearchTask, 'sample' | 'stride'>, k: number): number =>
  task.sample + task.stride * k
