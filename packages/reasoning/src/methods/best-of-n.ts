import { XError } from '@x/kernel'
import type { Job, Outcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Found, type Method, type Strategy, type Task } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'
import { majority } from '../strategy/vote.ts'

/** Options of answering several times. */
export interface BestOfNOptions {
  /** Answers asked for; default 5. One is a single chain of thought. */
  n?: number | undefined
  /** What of an answer is compared in the vote; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
}

/** Answers the question several times at once and takes the answer given most often (self-consistency), or the first verified one. */
export function bestOfN({ n = 5, normalize }: BestOfNOptions = {}): Method {
  if (!(n >= 1)) throw new XError('invalid-argument', `an answer was to be sampled with \`n: ${n}\`: give at least 1`)
  return (task) => new BestOfN(task, n, normalize)
}

class BestOfN implements Strategy {
  readonly trees: readonly [Tree]
  readonly #normalize: ((text: string) => string) | undefined
  readonly #open = new OpenJobs()
  readonly #answers: { node: ThinkNode; verdict: Found['verdict'] }[] = []
  readonly #told: (Outcome | undefined)[] = []
  #taken = 0
  #answer: Found | null = null

  constructor(task: Task, n: number, normalize: ((text: string) => string) | undefined) {
    this.#normalize = normalize
    this.trees = [new Tree({ question: task.question, id: task.id })]
    const { root } = this.trees[0]
    for (let k = 0; k < n; k++) {
      const id = `answer:${root.id}@${k}`
      this.#open.post({ kind: 'answer', id, place: [k], level: 0, sample: sampleOf(task, k), from: [root] })
    }
  }

  get answer(): Found | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#answers.length > 0 ? 0 : 1
  }

  ask(): readonly Job[] {
    return this.#open.list()
  }

  tell(job: Job, outcome: Outcome): void {
    if (!this.#open.close(job)) return
    this.#told[job.place[0]!] = outcome
    // Taken in in their order, so that the first verified one is the same in every run.
    for (let outcome = this.#told[this.#taken]; outcome; outcome = this.#told[this.#taken]) this.#take(outcome)
    if (this.#open.size === 0) this.#settle()
  }

  #take(outcome: Outcome): void {
    const k = this.#taken++
    if (outcome.kind !== 'answer' || this.#answer) return
    const [tree] = this.trees
    const node = tree.add(tree.root, outcome.text, `${tree.root.id}@${k}`)
    tree.mark('answer', node)
    if (outcome.verdict) tree.grade(node, outcome.verdict.score, outcome.verdict.reason ?? 'verified by code')
    this.#answers.push({ node, verdict: outcome.verdict })
    if (outcome.verdict?.accepted) this.#settle()
  }

  best(): Found {
    if (this.#answer) return this.#answer
    const verified = this.#answers.find(({ verdict }) => verdict?.accepted)
    const { index } = majority(
      this.#answers.map(({ node }) => node.content),
      this.#normalize,
    )
    const best = verified ?? this.#answers[index]
    if (!best) return { text: null, node: null, verdict: null, accepted: false }
    return { text: best.node.content, ...best, accepted: best.verdict?.accepted ?? true }
  }

  conclude(): void {
    for (const outcome of this.#told.slice(this.#taken))
      this.#take(outcome ?? { kind: 'failed', code: '', message: '' })
    if (this.reserve === 0) return this.#settle()
    const [first] = this.#open.list()
    this.#open.drop((job) => job !== first)
  }

  #settle(): void {
    this.#answer = this.best()
    this.#open.drop()
  }
}
