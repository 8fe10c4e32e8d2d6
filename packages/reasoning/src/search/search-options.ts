import type { SearchEvent, SearchStatus, SearchUsage, Listener } from '@x/interfaces'
import type { SearchBudget } from './budget.ts'
import type { Clock } from './clock.ts'
import type { Verdict } from '../strategy/job.ts'
import type { Journal } from './search-journal.ts'
import type { Random } from '../strategy/random.ts'
import type { Answerer, Grader, Proposer, Verifier } from './parts.ts'
import type { Method } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'

/** What a search works with. */
export interface SearchParts {
  /** How the tree is searched; default: a beam search. */
  method?: Method | undefined
  proposer: Proposer
  grader: Grader
  answerer: Answerer
  /** Checks answers by code; the search stops at the first that it accepts. */
  verifier?: Verifier | undefined
  budget?: SearchBudget | undefined
  /** Calls in flight at most; default 64. With 1 they are made in the order of the sync face, which makes one at a time. */
  concurrency?: number | undefined
  /** Results of an earlier run, and where those of this run go. */
  journal?: Journal | undefined
  /** Random numbers by place; default: a seeded stream, the same in every run. */
  random?: Random | undefined
  /** Default: the platform's. */
  clock?: Clock | undefined
}

/** Options of the search doors. */
export interface SearchOptions extends SearchParts {
  /** Stops the search: it ends with what it has and the status `aborted`. */
  signal?: AbortSignal | undefined
  /** Receives the events of the growing tree. */
  emit?: Listener<SearchEvent> | undefined
}

/** A job that failed. */
export interface JobFailure {
  job: string
  code: string
  message: string
}

/** What a search gives, however it ended. */
export interface SearchResult {
  /** The answer; the text of the best step when no answer could be written; null when there is nothing. */
  answer: string | null
  status: SearchStatus
  /** Why there is no answer, or null. */
  reason: string | null
  /** What the verifier said of the answer. */
  verdict: Verdict | null
  /** The node the answer comes from. */
  node: ThinkNode | null
  /** The roots, one per tree. */
  trees: ThinkNode[]
  used: SearchUsage
  failures: JobFailure[]
}
