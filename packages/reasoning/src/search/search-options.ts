import type { ModelErrorKind, RunOptions, SearchBeliefs, SearchStatus, SearchUsage } from '@x/interfaces'
import type { PerformJob } from '../strategy/job-request.ts'
import type { AnswerVerdict, SearchJob } from '../strategy/job.ts'
import type { Random } from '../strategy/random.ts'
import type { Method } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { SearchBounds } from './bounds.ts'
import type { SearchBudget } from './budget.ts'
import type { Answerer, Grader, Proposer, Verifier } from './parts.ts'
import type { SearchJournal } from './search-journal.ts'

/** The source of time of a search. */
export interface Clock {
  /** Returns the milliseconds of a monotonic clock. */
  now(): number
  /** Calls a function after some milliseconds; returns a function that cancels the call. */
  after(ms: number, call: () => void): () => void
}

/** The parts, limits and inputs of a search. */
export interface SearchParts extends SearchBounds {
  /** The search method; default: a beam search. */
  method?: Method | undefined
  proposer: Proposer
  grader: Grader
  answerer: Answerer
  /** Checks answers by code; the search stops at the first accepted answer. */
  verifier?: Verifier | undefined
  /** If true, an unreadable reply is asked again once, with a note; default true. */
  repair?: boolean | undefined
  budget?: SearchBudget | undefined
  /** Maximum number of model calls in flight; default 64. With 1 the calls have the order of `searchSync`. */
  concurrency?: number | undefined
  /**
   * Performs the jobs elsewhere, such as on other workers, which need the same parts; here the parts only give their
   * fingerprints. The usage of a job counts in the budgets of the search and of its run. Default: the parts perform the
   * jobs here.
   */
  perform?: PerformJob | undefined
  /** The results of an earlier run; the results of this run are added. */
  journal?: SearchJournal | undefined
  /** Random numbers; default: `seededRandom()`, the same numbers in every run. */
  random?: Random | undefined
  /** The source of time; default: the clock of the platform. */
  clock?: Clock | undefined
}

/**
 * Options of `search`, `searchSync` and `searchStream`. A search with a `run` is part of it: the run's signal stops the
 * search, its budget has to admit every call, and its journal keeps the jobs.
 */
export interface SearchOptions extends SearchParts, RunOptions {
  /** Stops the search, which then ends with its best answer so far and the status `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** A job that failed, or whose reply could not be read. */
export interface JobFailure {
  job: string
  kind: SearchJob['kind']
  code: string
  message: string
  /** Kind of a failed model call; absent for other failures. */
  errorKind?: ModelErrorKind | undefined
}

/** The result of a search, however it ended. */
export interface SearchResult {
  /** The answer; null if none could be written. A step is never returned as the answer. */
  answer: string | null
  status: SearchStatus
  /** The reason why no answer was written, or null. */
  reason: string | null
  /** The verdict of the verifier on the answer; null without a verifier. */
  verdict: AnswerVerdict | null
  /** The beliefs of the method about the answer and the parts of the search; null for methods that have none. */
  beliefs: SearchBeliefs | null
  /** The node that the answer was made from; without an answer the best node. */
  node: ThinkNode | null
  /** The roots, one per tree. */
  trees: ThinkNode[]
  used: SearchUsage
  failures: JobFailure[]
  /** Warnings, each once: results that were cut to a bound, and the number of calls that failed despite a second attempt. */
  warnings: string[]
}
