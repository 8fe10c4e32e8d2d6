import { XError } from '@x/kernel'
import type { Job, Outcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { hash } from '../strategy/random.ts'
import type { Found, Method, Strategy, Task } from '../strategy/strategy.ts'
import type { Tree } from '../tree/tree.ts'
import { majority } from '../strategy/vote.ts'

/** Options of a forest. */
export interface ForestOptions {
  /** Number of trees; default 1, which is the method alone. */
  size?: number | undefined
  /** How the answers become one: by one more call, or by a vote; default `model`. */
  merge?: 'model' | 'vote' | undefined
  /** What of an answer is compared in a vote; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
}

/** Runs one method several times at once, each tree with samples of its own, and makes one answer of theirs. */
export function forest(method: Method, options: ForestOptions = {}): Method {
  const { size = 1 } = options
  if (!(size >= 1)) {
    throw new XError('invalid-argument', `a forest was given \`size: ${size}\`: give at least 1 tree`)
  }
  return size === 1 ? method : (task) => new Forest(task, method, { ...options, size })
}

class Forest implements Strategy {
  readonly #options: ForestOptions
  readonly #task: Task
  readonly #strategies: readonly Strategy[]
  readonly #merge = new OpenJobs()
  /** The jobs handed out by tree, each with its tree's number before its id and its place. */
  readonly #inner = new Map<Job, { outer: Job; tree: number; job: Job }>()
  readonly #outer = new Map<string, { tree: number; job: Job }>()
  #answer: Found | null = null

  constructor(task: Task, method: Method, options: ForestOptions & { size: number }) {
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

  get answer(): Found | null {
    return this.#answer
  }

  get reserve(): number {
    if (this.#answer) return 0
    const merge = this.#options.merge !== 'vote' && this.#merge.size === 0 ? 1 : 0
    return this.#strategies.reduce((sum, { answer, reserve = 0 }) => sum + (answer ? 0 : reserve), merge)
  }

  ask(): readonly Job[] {
    if (this.#answer) return []
    if (this.#merge.size > 0) return this.#merge.list()
    return this.#strategies.flatMap((strategy, tree) => strategy.ask().map((job) => this.#handed(tree, job)))
  }

  #handed(tree: number, job: Job): Job {
    let known = this.#inner.get(job)
    if (!known) {
      known = { outer: { ...job, place: [tree, ...job.place] }, tree, job }
      this.#inner.set(job, known)
      this.#outer.set(job.id, known)
    }
    return known.outer
  }

  tell(job: Job, outcome: Outcome): void {
    if (this.#answer) return
    if (job.kind === 'merge') return this.#merged(job, outcome)
    const known = this.#outer.get(job.id)
    if (!known) return
    this.#outer.delete(job.id)
    this.#inner.delete(known.job)
    this.#strategies[known.tree]!.tell(known.job, outcome)
    this.#check()
  }

  best(): Found {
    if (this.#answer) return this.#answer
    const found = this.#strategies.map((strategy) => strategy.best())
    const verified = found.find(({ verdict }) => verdict?.accepted)
    if (verified) return verified
    const answered = found.filter(({ text }) => text !== null)
    const { index } = majority(
      answered.map(({ text }) => text!),
      this.#options.normalize,
    )
    return answered[index] ?? found[0]!
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
    // A strategy that has nothing left to ask has ended as well, without an answer.
    if (this.#strategies.some((strategy) => !strategy.answer && strategy.ask().length > 0)) return
    const answers = done.flatMap(({ text }) => text ?? [])
    if (answers.length < 2 || this.#options.merge === 'vote') {
      this.#answer = this.best()
      return
    }
    this.#merge.post({
      kind: 'merge',
      id: `${this.#task.id}merge:${hash(JSON.stringify(answers)).toString(36)}`,
      place: [this.#strategies.length],
      level: Infinity,
      sample: this.#task.sample,
      question: this.#task.question,
      answers,
    })
  }

  #merged(job: Job, outcome: Outcome): void {
    if (!this.#merge.close(job)) return
    const best = this.best()
    const told = outcome.kind === 'merge'
    this.#answer = told
      ? { text: outcome.text, node: best.node, verdict: outcome.verdict, accepted: outcome.verdict?.accepted ?? true }
      : best
  }
}
