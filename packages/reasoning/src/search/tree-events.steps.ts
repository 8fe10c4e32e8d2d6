import type { Steps } from '@x/kernel'
import type { Strategy } from '../strategy/strategy.ts'
import type { TreeChange } from '../tree/tree.ts'
import type { RunJournal } from './chat-journal.ts'
import type { BestCandidate, SearchEvents, TreeEvent } from './search-events.steps.ts'
import type { ToldTrees } from './told-trees.ts'

/**
 * Tells the changes of the trees of a search, and the best candidate when it changes. Where a search goes on in another
 * process, the changes by stored jobs wait until this process gets further: those that the earlier one has told are left
 * out. Changes that may have been lost with the earlier process are told again.
 */
export class TreeEvents {
  readonly #events: SearchEvents
  readonly #strategy: Strategy
  readonly #kept: RunJournal | undefined
  /** The trees as an earlier process has told them; null without one. */
  #told: ToldTrees | null = null
  /** Changes by stored jobs. */
  #held: TreeChange[] = []
  /** Ids of stored jobs whose changes wait. */
  #heldJobs: string[] = []
  #lastBest: BestCandidate | null = null

  constructor(events: SearchEvents, strategy: Strategy, kept: RunJournal | undefined) {
    this.#events = events
    this.#strategy = strategy
    this.#kept = kept
  }

  /** Tells the trees before the first job; `readTold` reads what an earlier process has told. */
  *tellFirst(readTold: (() => ToldTrees) | null): Steps<void> {
    if (readTold && this.#events.tellsTrees) this.#told = readTold()
    const best = this.#told && this.#newBest(this.#told.best)
    yield* this.tellChanges(null)
    if (best && this.#events.tellsRecalled) yield* this.#events.best(best, true)
  }

  /** Holds the changes by a stored job back. */
  hold(job: string): void {
    const changes = this.#takeChanges()
    if (!this.#events.tellsTrees) return
    this.#held.push(...changes)
    this.#heldJobs.push(job)
  }

  /** Tells all changes; `job` has made the latest, null stands for no job. */
  *tellChanges(job: string | null): Steps<void> {
    const changes = this.#takeChanges()
    if (!this.#events.tellsTrees) return
    const jobs = [...this.#heldJobs.splice(0), ...(job === null ? [] : [job])]
    // All is read before the first event is sent: the trees may change while a listener is waited for.
    const told = [...this.#held.splice(0), ...changes].map((change) => this.#events.eventOf(change))
    const best = this.#newBest(this.#strategy.best())
    for (const event of told) yield* this.#tell(event)
    if (best) yield* this.#events.best(best, false)
    for (const each of jobs) if (!this.#kept?.wasTold(each)) this.#kept?.noteTold(each)
  }

  *#tell(event: TreeEvent): Steps<void> {
    const isTold = this.#told?.take(event) ?? false
    if (!isTold || this.#events.tellsRecalled) yield* this.#events.send(event, isTold)
  }

  #takeChanges(): readonly TreeChange[] {
    const { trees } = this.#strategy
    const [only] = trees
    return only && trees.length === 1 ? only.takeChanges() : trees.flatMap((tree) => tree.takeChanges())
  }

  /** Returns the best candidate if it has changed. Before the first step it is the question, which is not worth an event. */
  #newBest({ node, text }: ReturnType<Strategy['best']>): BestCandidate | null {
    if (text === null && !node?.parent) return null
    const { grade = null } = node ?? {}
    const last = this.#lastBest
    // The node of an earlier process is another object.
    if (last && last.node?.id === node?.id && last.grade === grade && last.text === text) return null
    this.#lastBest = { node, grade, text }
    return this.#lastBest
  }
}
