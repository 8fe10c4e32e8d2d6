import type { Job, Outcome, Verdict } from './job.ts'
import type { Random } from './random.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { Tree } from '../tree/tree.ts'

/** An answer that a search found, or the best it has so far. */
export interface Found {
  /** The answer; null while none was written. */
  readonly text: string | null
  /** The node it comes from; null when there is none. */
  readonly node: ThinkNode | null
  /** What the verifier said; null without one. */
  readonly verdict: Verdict | null
  /** Whether the method takes it for good. */
  readonly accepted: boolean
}

/**
 * A way to search, as an object that does nothing by itself: it is asked for jobs and told what came of them, in any
 * order. Equal outcomes give an equal tree, whatever the order.
 */
export interface Strategy {
  /** The trees as they stand. */
  readonly trees: readonly Tree[]
  /** Gives every job that can run now and has not been told, in the serial order; asking changes nothing. */
  ask(): readonly Job[]
  /** Takes what came of a job; a job that was given up is ignored. */
  tell(job: Job, outcome: Outcome): void
  /** The answer, once the search is over; null before. */
  readonly answer: Found | null
  /** The best at this moment. */
  best(): Found
  /** Calls that an answer would still need if the search were concluded now; default 0. */
  readonly reserve?: number
  /** Ends the search: from now on only what the answer needs is asked. Without it a budget stops the search at once. */
  conclude?(): void
}

/** What a strategy starts from. */
export interface Task {
  readonly question: string
  /** Put before every id; tells the trees of a forest apart. */
  readonly id: string
  /** The sample of a first question; the `k`-th repetition has `sample + k * stride`. */
  readonly sample: number
  readonly stride: number
  readonly random: Random
  /** Whether answers are checked by code: then a grade need not be trusted with the last word. */
  readonly verified: boolean
}

/** Makes a strategy for one search. */
export type Method = (task: Task) => Strategy

/** The sample of the `k`-th time that a task asks the same question. */
export const sampleOf = (task: Task, k: number): number => task.sample + task.stride * k
