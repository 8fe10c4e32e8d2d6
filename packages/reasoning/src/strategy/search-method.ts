import { BestLeaf } from '../tree/best-leaf.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { JobOutcome, SearchJob } from './job.ts'
import { OpenJobs } from './open-jobs.ts'
import { NOT_ASKED, SearchContext, type Wave } from './search-context.ts'
import type { Candidate, Method, SearchTask, Strategy } from './strategy.ts'

/**
 * Makes a method from a generator function. Each `yield*` of an operation of its context asks for one wave of jobs and
 * goes on when all of them have an outcome, so that the tree does not depend on the order of the outcomes. The search ends
 * with the answer whose leaf the function returns, or else with the best answer so far.
 */
export const searchMethod =
  (explore: (search: SearchContext) => Wave<ThinkNode | null | void>): Method =>
  (task) =>
    new WaveStrategy(task, explore)

class WaveStrategy implements Strategy {
  readonly trees: SearchContext['trees']
  readonly jobs: OpenJobs
  readonly #context: SearchContext
  readonly #leaves: BestLeaf
  readonly #explore: Wave<ThinkNode | null | void>
  /** The jobs of this wave and their outcomes, in the order in which they were asked for. */
  #wave: readonly SearchJob[] = []
  #outcomes = new Map<SearchJob, JobOutcome>()
  #isConcluding = false
  #answer: Candidate | null = null

  constructor(task: SearchTask, explore: (search: SearchContext) => Wave<ThinkNode | null | void>) {
    this.jobs = new OpenJobs(task)
    this.#context = new SearchContext(task, this.jobs, (node) => this.#leaves.note(node))
    this.trees = this.#context.trees
    this.#leaves = new BestLeaf(this.#context.root)
    this.#explore = explore(this.#context)
    this.#advance([])
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#isConcluding || this.#context.best ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.jobs.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.jobs.has(job)) return
    this.jobs.close(job)
    if (this.#isConcluding) {
      this.#context.takeAnswer(job, outcome)
      this.#settle(null)
      return
    }
    this.#outcomes.set(job, outcome)
    if (this.jobs.size === 0) this.#advance(this.#wave.map((asked) => this.#outcomes.get(asked)!))
  }

  best(): Candidate {
    return this.#answer ?? this.#candidate
  }

  get #candidate(): Candidate {
    const { best } = this.#context
    if (best) return this.#context.candidateOf(best)
    return { text: null, node: this.#leaves.node, verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#answer || this.#isConcluding) return
    // The outcomes that are known are taken in; what the method asks for after them is not asked any more.
    if (this.#outcomes.size > 0) this.#advance(this.#wave.map((job) => this.#outcomes.get(job) ?? NOT_ASKED))
    if (this.#answer) return
    this.jobs.drop()
    this.#isConcluding = true
    if (this.#context.best) this.#settle(null)
    else this.jobs.answer(this.best().node!)
  }

  #advance(outcomes: readonly JobOutcome[]): void {
    let next = this.#explore.next(outcomes)
    // A wave without jobs has its outcomes.
    while (!next.done && next.value.length === 0) next = this.#explore.next([])
    if (!next.done) {
      this.#wave = next.value
      this.#outcomes = new Map()
      return
    }
    this.#outcomes.clear()
    if (next.value ?? this.#context.best) this.#settle(next.value ?? null)
    else this.conclude()
  }

  #settle(answer: ThinkNode | null): void {
    this.jobs.drop()
    this.#answer = answer ? this.#context.candidateOf(answer) : this.#candidate
  }
}
