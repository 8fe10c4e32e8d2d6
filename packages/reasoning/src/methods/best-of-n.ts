import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type Strategy, type SearchTask } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'
import { findMajority } from '../strategy/vote.ts'

/** Options of `bestOfN`. */
export interface BestOfNOptions {
  /** Number of answers; default 5. One answer is a single chain of thought. */
  n?: number | undefined
  /** Normalizes an answer for the vote; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
}

const KINDS: OptionKinds<BestOfNOptions> = { n: kind.whole(1), normalize: kind.call }

/** Answers the question several times at once and takes the most frequent answer (self-consistency), or the first verified one. */
export function bestOfN(options: BestOfNOptions = {}): Method {
  checkOptions(options, KINDS, 'make a best-of-n search')
  const { n = 5, normalize } = options
  return (task) => new BestOfN(task, n, normalize)
}

class BestOfN implements Strategy {
  readonly trees: readonly [Tree]
  readonly #normalize: ((text: string) => string) | undefined
  readonly #open = new OpenJobs()
  readonly #answers: { node: ThinkNode; verdict: Candidate['verdict'] }[] = []
  readonly #outcomes: (JobOutcome | undefined)[] = []
  #takenCount = 0
  #answer: Candidate | null = null

  constructor(task: SearchTask, n: number, normalize: ((text: string) => string) | undefined) {
    this.#normalize = normalize
    this.trees = [new Tree({ question: task.question, id: task.id })]
    const { root } = this.trees[0]
    for (let k = 0; k < n; k++) {
      const id = `answer:${root.id}@${k}`
      this.#open.post({ kind: 'answer', id, position: [k], level: 0, sample: sampleOf(task, k), from: [root] })
    }
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#answers.length > 0 ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.#open.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.#open.close(job)) return
    this.#outcomes[job.position[0]!] = outcome
    // In the order of the jobs, so that the first verified answer is the same in every run.
    for (let outcome = this.#outcomes[this.#takenCount]; outcome; outcome = this.#outcomes[this.#takenCount])
      this.#take(outcome)
    if (this.#open.size === 0) this.#settle()
  }

  #take(outcome: JobOutcome): void {
    const k = this.#takenCount++
    if (outcome.kind !== 'answer' || this.#answer) return
    const [tree] = this.trees
    const node = tree.add(tree.root, outcome.text, `${tree.root.id}@${k}`)
    tree.mark('answer', node)
    if (outcome.verdict) tree.grade(node, outcome.verdict.score, outcome.verdict.reason ?? 'verified by code')
    this.#answers.push({ node, verdict: outcome.verdict })
    if (outcome.verdict?.accepted) this.#settle()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    const verified = this.#answers.find(({ verdict }) => verdict?.accepted)
    const { index } = findMajority(
      this.#answers.map(({ node }) => node.content),
      this.#normalize,
    )
    const best = verified ?? this.#answers[index]
    if (!best) return { text: null, node: null, verdict: null, accepted: false }
    return { text: best.node.content, ...best, accepted: best.verdict?.accepted ?? true }
  }

  conclude(): void {
    for (const outcome of this.#outcomes.slice(this.#takenCount))
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
