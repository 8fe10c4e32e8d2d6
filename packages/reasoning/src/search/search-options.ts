import type { Listener, Run, SearchEvent, SearchStatus, SearchUsage } from '@x/interfaces'
import type { SearchBounds } from './bounds.ts'
import type { SearchBudget } from './budget.ts'
import type { Clock } from './clock.ts'
import type { PerformJob } from './perform-job-type.ts'
import type { AnswerVerdict, SearchJob } from '../strategy/job.ts'
import type { SearchJournal } from './search-journal.ts'
import type { Random } from '../strategy/random.ts'
import type { Answerer, Grader, Proposer, Verifier } from './parts.ts'
import type { Method } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'

/** The parts, the limits and the sources of a search. */
export interface SearchParts extends SearchBounds {
  /** The search method; default: a beam search. */
  method?: Method | undefined
  proposer: Proposer
  grader: Grader
  answerer: Answerer
  /** Checks answers by code; the search stops at the first accepted answer. */
  verifier?: Verifier | undefined
  /** Whether a reply that cannot be read is asked for once more, with a note; default true. */
  repair?: boolean | undefined
  budget?: SearchBudget | undefined
  /** Maximum number of model calls in flight; default 64. With 1 the calls have the order of `searchSync`. */
  concurrency?: number | undefined
  /**
   * Performs the jobs elsewhere, such as by other workers; the parts then stand there too, and here say what they are made
   * of. What a job costs there counts in the budgets of the search and of its run. Default: the parts perform them here.
   */
  perform?: PerformJob | undefined
  /** Results of an earlier run; the results of this run are added. */
  journal?: SearchJournal | undefined
  /** Random numbers; default: `seededRandom()`, the same numbers in every run. */
  random?: Random | undefined
  /** Default: the clock of the platform. */
  clock?: Clock | undefined
}

/** Options of `search`, `searchSync` and `searchStream`. */
export interface SearchOptions extends SearchParts {
  /**
   * The run that the search becomes part of: its signal stops it, its budget has to admit every call, its journal keeps
   * the jobs, and the events come to its listener as `searchProgress`.
   */
  run?: Run | undefined
  /** Stops the search, which then ends with its best answer so far and the status `aborted`. */
  signal?: AbortSignal | undefined
  /** Receives the events of the search. */
  emit?: Listener<SearchEvent> | undefined
}

/** A job that failed, or whose reply could not be read. */
export interface JobFailure {
  job: string
  kind: SearchJob['kind']
  code: string
  message: string
}

/** The result of a search, however it ended. */
export interface SearchResult {
  /** The answer; null when none could be written: a step is never returned as the answer. */
  answer: string | null
  status: SearchStatus
  /** The reason why no answer was written, or null. */
  reason: string | null
  /** The verdict of the verifier on the answer; null without a verifier. */
  verdict: AnswerVerdict | null
  /** The node that the answer was made from; without an answer the best node. */
  node: ThinkNode | null
  /** The roots, one per tree. */
  trees: ThinkNode[]
  used: SearchUsage
  failures: JobFailure[]
  /** What exceeded a bound and was cut, and how many calls failed in spite of a second attempt; each said once. */
  warnings: string[]
}
