import type { SearchBeliefs } from '@x/interfaces'
import { XError } from '@x/kernel'
import { BestLeaf } from '../tree/best-leaf.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { JobOutcome, SearchJob } from './job.ts'
import { OpenJobs } from './open-jobs.ts'
import { isNode, NOT_ASKED, SearchContext, type Wave } from './search-context.ts'
import type { Candidate, Method, SearchTask, Strategy } from './strategy.ts'

/**
 * Makes a method from a generator function. Each `yield*` of an operation of its context asks one wave of jobs and continues
 * when all of them have an outcome, so that the tree does not depend on the order of the outcomes. The search ends with the
 * answer whose leaf the function returns, else with the best answer so far; if the function returns a step, an answer is
 * written from there. Misuse throws `invalid-argument`, such as a `yield` without a star.
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
  /** The jobs of this wave, in the order in which they were asked. */
  #wave: readonly SearchJob[] = []
  /** The outcomes of this wave so far. */
  #outcomes = new Map<SearchJob, JobOutcome>()
  /** True once only the final answer is asked. */
  #isConcluding = false
  #answer: Candidate | null = null

  constructor(task: SearchTask, explore: (search: SearchContext) => Wave<ThinkNode | null | void>) {
    this.jobs = new OpenJobs(task)
    this.#context = new SearchContext(task, this.jobs, (node) => this.#leaves.note(node))
    this.trees = this.#context.trees
    this.#leaves = new BestLeaf(this.#context.root)
    this.#explore = checkFunction(explore(this.#context))
    this.#advance([])
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get beliefs(): SearchBeliefs | null {
    return this.#context.beliefs
  }

  get reserve(): number {
    const { best, nextAnswerFrom } = this.#context
    return this.#isConcluding || (best && !nextAnswerFrom) ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.jobs.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.jobs.has(job)) return
    this.jobs.close(job)
    if (this.#isConcluding) {
      this.#settle(this.#context.takeAnswer(job, outcome))
      return
    }
    this.#outcomes.set(job, outcome)
    if (this.jobs.size === 0) this.#advance(this.#wave.map((each) => this.#outcomes.get(each)!))
  }

  best(): Candidate {
    return this.#answer ?? this.#candidate
  }

  get #candidate(): Candidate {
    const { best } = this.#context
    if (best) return this.#context.candidateOf(best)
    return { text: null, node: this.#leaves.node ?? this.#context.root, verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#answer || this.#isConcluding) return
    // The method gets the known outcomes; the jobs that it asks after them are dropped.
    if (this.#outcomes.size > 0) this.#advance(this.#wave.map((job) => this.#outcomes.get(job) ?? NOT_ASKED))
    if (this.#answer) return
    this.jobs.drop()
    this.#isConcluding = true
    const { best, nextAnswerFrom } = this.#context
    if (best && !nextAnswerFrom) this.#settle(null)
    else this.jobs.answer(nextAnswerFrom ?? this.best().node!)
  }

  #advance(outcomes: readonly JobOutcome[]): void {
    let next = this.#explore.next(outcomes)
    // A wave without jobs needs no outcomes.
    for (let empty = 1; !next.done && checkWave(next.value).length === 0; empty++) {
      if (empty === MAX_EMPTY_WAVES) throw misuse(`it asked no job ${empty} times in a row`, 'end it with `return`')
      next = this.#explore.next([])
    }
    if (!next.done) {
      this.#wave = next.value
      this.#outcomes = new Map()
      return
    }
    this.#outcomes.clear()
    const end = checkEnd(next.value ?? null)
    if (end && !this.#context.isAnswer(end)) this.#answerFrom(end)
    else if (end ?? this.#context.best) this.#settle(end)
    else this.conclude()
  }

  #answerFrom(step: ThinkNode): void {
    this.jobs.drop()
    this.#isConcluding = true
    this.jobs.answer(step)
  }

  #settle(answer: ThinkNode | null): void {
    this.jobs.drop()
    this.#answer = answer ? this.#context.candidateOf(answer) : this.#candidate
  }
}

/** Most waves in a row without a job. */
const MAX_EMPTY_WAVES = 10_000

const misuse = (problem: string, remedy: string): XError =>
  new XError('invalid-argument', `a method made by \`searchMethod\` cannot continue: ${problem}; ${remedy}`)

function checkFunction<T extends { next: unknown }>(steps: T): T {
  if (typeof steps?.next === 'function' && !(Symbol.asyncIterator in steps)) return steps
  throw misuse('its function is not a generator function', 'write `searchMethod(function* (search) { … })`')
}

function checkWave(wave: readonly SearchJob[]): readonly SearchJob[] {
  if (Array.isArray(wave)) return wave
  throw misuse('it yielded something that is not a list of jobs', 'write `yield*`, with the star, before an operation')
}

function checkEnd(end: ThinkNode | null): ThinkNode | null {
  if (end === null || isNode(end)) return end
  throw misuse('it returned something that is not a node', 'return the leaf that `answer` returned, a step, or nothing')
}
