import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { hash } from '../strategy/random.ts'
import type { Candidate, Method, Strategy, SearchTask } from '../strategy/strategy.ts'
import type { Tree } from '../tree/tree.ts'
import { findMajority } from '../strategy/vote.ts'

/** Options of a forest. */
export interface ForestOptions {
  /** Number of trees; default 1: the method alone. */
  size?: number | undefined
  /** The way the answers become one: by one more call (`model`) or by a vote; default `model`. */
  merge?: 'model' | 'vote' | undefined
  /** Normalizes an answer for a vote; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
}

const KINDS: OptionKinds<ForestOptions> = {
  size: kind.whole(1),
  merge: kind.oneOf('model', 'vote'),
  normalize: kind.call,
}

/** Runs one method several times at once, every tree with its own samples, and makes one answer of the answers. */
export function forest(method: Method, options: ForestOptions = {}): Method {
  checkOptions(options, KINDS, 'make a forest')
  const { size = 1 } = options
  return size === 1 ? method : (task) => new Forest(task, method, { ...options, size })
}

class Forest implements Strategy {
  readonly #options: ForestOptions
  readonly #task: SearchTask
  readonly #strategies: readonly Strategy[]
  readonly #merge = new OpenJobs()
  /** The open jobs by the job of the tree; `outer` is the same job with the tree's number before its position. */
  readonly #byInnerJob = new Map<SearchJob, { outer: SearchJob; tree: number; job: SearchJob }>()
  readonly #byId = new Map<string, { tree: number; job: SearchJob }>()
  #answer: Candidate | null = null

  constructor(task: SearchTask, method: Method, options: ForestOptions & { size: number }) {
    this.#task = task
    this.#options = options
    this.#strategies = Array.from({ length: options.size }, (_, tree) =>
      method({
        question: task.question,
        id: `${task.id}t${tree}/`,
        sample: task.sample + task.stride * tree,
        stride: task.stride * options.size,
        random: task.random,
        verified: task.verified,
      }),
    )
  }

  get trees(): readonly Tree[] {
    return this.#strategies.flatMap((strategy) => strategy.trees)
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    if (this.#answer) return 0
    const merge = this.#options.merge !== 'vote' && this.#merge.size === 0 ? 1 : 0
    return this.#strategies.reduce((sum, { answer, reserve = 0 }) => sum + (answer ? 0 : reserve), merge)
  }

  ask(): readonly SearchJob[] {
    if (this.#answer) return []
    if (this.#merge.size > 0) return this.#merge.list()
    return this.#strategies.flatMap((strategy, tree) => strategy.ask().map((job) => this.#outerJobOf(tree, job)))
  }

  #outerJobOf(tree: number, job: SearchJob): SearchJob {
    let known = this.#byInnerJob.get(job)
    if (!known) {
      known = { outer: { ...job, position: [tree, ...job.position] }, tree, job }
      this.#byInnerJob.set(job, known)
      this.#byId.set(job.id, known)
    }
    return known.outer
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (this.#answer) return
    if (job.kind === 'merge') return this.#takeMerge(job, outcome)
    const known = this.#byId.get(job.id)
    if (!known) return
    this.#byId.delete(job.id)
    this.#byInnerJob.delete(known.job)
    this.#strategies[known.tree]!.tell(known.job, outcome)
    this.#check()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    const candidates = this.#strategies.map((strategy) => strategy.best())
    const verified = candidates.find(({ verdict }) => verdict?.accepted)
    if (verified) return verified
    const written = candidates.filter(({ text }) => text !== null)
    const { index } = findMajority(
      written.map(({ text }) => text!),
      this.#options.normalize,
    )
    return written[index] ?? candidates[0]!
  }

  conclude(): void {
    if (this.#answer || this.#merge.size > 0) return
    for (const strategy of this.#strategies) strategy.conclude?.()
    this.#check()
  }

  #check(): void {
    const done = this.#strategies.flatMap(({ answer }) => answer ?? [])
    const verified = done.find(({ verdict }) => verdict?.accepted)
    if (verified) {
      this.#answer = verified
      return
    }
    // A strategy without open jobs has ended as well, without an answer.
    if (this.#strategies.some((strategy) => !strategy.answer && strategy.ask().length > 0)) return
    const answers = done.flatMap(({ text }) => text ?? [])
    if (answers.length < 2 || this.#options.merge === 'vote') {
      this.#answer = this.best()
      return
    }
    this.#merge.post({
      kind: 'merge',
      id: `${this.#task.id}merge:${hash(JSON.stringify(answers)).toString(36)}`,
      position: [this.#strategies.length],
      level: Infinity,
      sample: this.#task.sample,
      question: this.#task.question,
      answers,
    })
  }

  #takeMerge(job: SearchJob, outcome: JobOutcome): void {
    if (!this.#merge.close(job)) return
    const best = this.best()
    const isWritten = outcome.kind === 'merge'
    this.#answer = isWritten
      ? { text: outcome.text, node: best.node, verdict: outcome.verdict, accepted: outcome.verdict?.accepted ?? true }
      : best
  }
}
