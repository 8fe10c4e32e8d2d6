import type { SearchBeliefs } from '@x/interfaces'
import type { Fingerprinted } from './fingerprint.ts'
import type { SearchJob, JobOutcome, AnswerVerdict } from './job.ts'
import type { Random } from './random.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { Tree } from '../tree/tree.ts'

/** A candidate for the answer of a search: the final one, or the best so far. */
export interface Candidate {
  /** The text of the answer; null until one is written. */
  readonly text: string | null
  /** The node that the answer was made from; null if there is none. */
  readonly node: ThinkNode | null
  /** The verdict of the verifier; null without a verifier. */
  readonly verdict: AnswerVerdict | null
  /** True if the method accepts the candidate as the answer. */
  readonly accepted: boolean
}

/** The open jobs of a strategy, and which of them are new. */
export interface JobSource {
  /** Number of open jobs. */
  readonly size: number
  /** True if this very job is open. */
  has(job: SearchJob): boolean
  /** Returns the jobs that were added since the last call; some may be closed again. */
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
  /** The jobs of `ask`, as an `OpenJobs`: a search then reads only the new ones. */
  readonly jobs?: JobSource | undefined
  /** Receives the outcome of a job; ignores a job that is not open. */
  tell(job: SearchJob, outcome: JobOutcome): void
  /** The answer at the end of the search; null before. */
  readonly answer: Candidate | null
  /** Returns the best candidate so far. */
  best(): Candidate
  /** The beliefs about the best candidate and the parts of the search, if the method has any; null before it has. */
  readonly beliefs?: SearchBeliefs | null
  /** Number of calls that an answer needs if the search has to end now; default 0. */
  readonly reserve?: number
  /** Concludes the search: from now on it asks only for the answer. Without it, a budget stops the search at once. */
  conclude?(): void
}

/** The input of a strategy. */
export interface SearchTask {
  readonly question: string
  /** Prefix of every id; distinguishes the trees of a forest. */
  readonly id: string
  /** The sample number of a first question; repetition `k`, counted from 0, has `sample + k * stride`. */
  readonly sample: number
  readonly stride: number
  readonly random: Random
  /** True if a verifier checks the answers, so that grades need not decide. */
  readonly verified: boolean
}

/** Makes a strategy for one search. */
export interface Method extends Fingerprinted {
  (task: SearchTask): Strategy
}

/** Returns the sample number for repetition `k` of a question, counted from 0. */
export const sampleOf = (task: Pick<SearchTask, 'sample' | 'stride'>, k: number): number =>
  task.sample + task.stride * k
