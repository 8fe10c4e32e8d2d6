import { isThenable, XError } from '@x/kernel'
import type { Strategy } from '../strategy/strategy.ts'
import type { JobOutcome, JobRecord, SearchJob } from '../strategy/job.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { RunJournal } from './chat-journal.ts'
import { combineOutcomes, followUp } from './job-problems.ts'
import { JobQueue } from './job-queue.ts'
import type { TreeEvent } from './search-events.steps.ts'
import type { SearchJournal } from './search-journal.ts'

/** Makes the strategy of a search from its beginning. */
export type MakeStrategy = () => Strategy

/** A node as the listeners of a search know it. */
type ToldNode = Pick<ThinkNode, 'content' | 'grade' | 'ratingDetails'> & { readonly fate: string }

/** The trees of a search as an earlier process of the run has told them, and what this process tells of them. */
export class ToldTrees {
  readonly #nodes = new Map<string, ToldNode>()
  /** The best candidate that the earlier process has told; null before the first step. */
  readonly best: ReturnType<Strategy['best']>

  /**
   * The stored jobs say of which jobs the changes were told: these alone make the trees that the listeners know. `repair` is
   * that of the search.
   */
  constructor(make: MakeStrategy, kept: RunJournal, repair: boolean) {
    replayStored(make(), kept, repair)
    const strategy = make()
    replayStored(strategy, { ...kept, get: (id) => (kept.wasTold(jobOf(id)) ? kept.get(id) : undefined) }, repair)
    for (const { root } of strategy.trees) for (const node of root.walk()) this.#nodes.set(node.id, stateOf(node))
    this.best = strategy.best()
  }

  /** Notes the event of a change; returns true if the listeners know it. */
  take(event: TreeEvent): boolean {
    const { type, node } = event
    const known = this.#nodes.get(node)
    if (type === 'searchNode') {
      const { content } = event
      if (known?.content === content) return true
      this.#nodes.set(node, { content, grade: null, ratingDetails: '', fate: 'open' })
      return false
    }
    if (!known) return false
    if (type === 'searchFate') {
      const { fate } = event
      this.#nodes.set(node, { ...known, fate })
      return known.fate === fate
    }
    const { grade, details } = event
    this.#nodes.set(node, { ...known, grade, ratingDetails: details })
    return known.grade === grade && known.ratingDetails === details
  }
}

const stateOf = ({ content, grade, ratingDetails, fate }: ThinkNode): ToldNode => ({
  content,
  grade,
  ratingDetails,
  fate,
})

/** Returns the id of the job that a second attempt belongs to. */
const jobOf = (id: string): string => id.replace(/!$/u, '')

/** Tells a strategy the outcomes of all jobs that a journal has, as far as they lead to each other. */
function replayStored(strategy: Strategy, journal: SearchJournal, repair: boolean): void {
  const queue = new JobQueue(strategy)
  for (let job = queue.peek(); job; job = queue.peek()) {
    queue.start(job)
    const outcome = storedOutcome(job, journal, repair)
    if (!outcome) continue
    queue.end(job)
    strategy.tell(job, outcome)
  }
}

function storedOutcome(job: SearchJob, journal: SearchJournal, repair: boolean): JobOutcome | undefined {
  const outcome = storedRecord(job, journal)?.outcome
  const secondAttempt = outcome && followUp(job, outcome, repair)
  const second = secondAttempt && storedRecord(secondAttempt, journal)?.outcome
  return second ? combineOutcomes(outcome, second) : outcome
}

/** Returns the record of a job from an earlier run. The journal of another method may use its id for another job. */
export function storedRecord(job: SearchJob, journal: SearchJournal | undefined): JobRecord | undefined {
  const record = journal?.get(job.id)
  if (isThenable(record)) {
    throw new XError(
      'invalid-argument',
      'cannot search with this `journal`: its `get` gave a promise; read the records before the search, and return them at once',
    )
  }
  const outcome = record?.outcome
  if (outcome?.kind !== job.kind) return undefined
  return job.kind === 'grade' && outcome.kind === 'grade' && outcome.grades.length !== job.nodes.length
    ? undefined
    : record
}
