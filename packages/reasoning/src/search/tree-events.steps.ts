import type { Steps } from '@x/kernel'
import type { Strategy } from '../strategy/strategy.ts'
import type { TreeChange } from '../tree/tree.ts'
import type { RunJournal } from './chat-journal.ts'
import type { BestCandidate, SearchEvents } from './search-events.steps.ts'

/** The changes by a job that an earlier process has performed. */
interface HeldChanges {
  readonly job: string
  readonly changes: readonly TreeChange[]
}

/**
 * Tells the changes of the trees of a search, and the best candidate when it changes. In a run that another process goes on
 * with, the changes by a job that is stored are held back until the other stored jobs are read: they say whether the earlier
 * process has told them.
 */
export class TreeEvents {
  readonly #events: SearchEvents
  readonly #strategy: Strategy
  readonly #kept: RunJournal | undefined
  #held: HeldChanges[] = []
  #lastBest: BestCandidate | null = null

  constructor(events: SearchEvents, strategy: Strategy, kept: RunJournal | undefined) {
    this.#events = events
    this.#strategy = strategy
    this.#kept = kept
  }

  /** Tells the first changes; `isTold` if an earlier process has. */
  tellFirst(isTold: boolean): Steps<void> {
    return this.#send(this.#takeChanges(), isTold)
  }

  /** Holds the changes by a stored job back. */
  hold(job: string): void {
    this.#held.push({ job, changes: this.#takeChanges() })
  }

  /** Tells all changes; `job` has made the latest, null stands for no job. */
  *tellChanges(job: string | null): Steps<void> {
    const changes = this.#takeChanges()
    if (!this.#events.tellsTrees) return
    const held = this.#held.splice(0)
    let isNew = job !== null || changes.length > 0 || held.length === 0
    for (const each of held) {
      const isTold = this.#kept!.wasTold(each.job)
      isNew ||= !isTold
      yield* this.#send(each.changes, isTold)
      if (!isTold) this.#kept!.noteTold(each.job)
    }
    yield* this.#send(changes, false)
    const best = this.#newBest()
    if (best && (isNew || this.#events.tellsRecalled)) yield* this.#events.best(best, !isNew)
    if (job !== null) this.#kept?.noteTold(job)
  }

  *#send(changes: readonly TreeChange[], isTold: boolean): Steps<void> {
    if (!this.#events.tellsTrees || (isTold && !this.#events.tellsRecalled)) return
    for (const change of changes) yield* this.#events.change(change, isTold)
  }

  #takeChanges(): readonly TreeChange[] {
    const { trees } = this.#strategy
    const [only] = trees
    return only && trees.length === 1 ? only.takeChanges() : trees.flatMap((tree) => tree.takeChanges())
  }

  /** Returns the best candidate if it has changed. Before the first step it is the question, which is not worth an event. */
  #newBest(): BestCandidate | null {
    const { node, text } = this.#strategy.best()
    if (text === null && !node?.parent) return null
    const { grade = null } = node ?? {}
    const last = this.#lastBest
    if (last?.node === node && last.grade === grade && last.text === text) return null
    this.#lastBest = { node, grade, text }
    return this.#lastBest
  }
}
