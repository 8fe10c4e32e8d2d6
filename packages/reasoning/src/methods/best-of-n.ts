import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type Strategy, type SearchTask } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'
import { Vote } from '../strategy/vote.ts'

/** Options of `bestOfN`. */
export interface BestOfNOptions {
  /** Number of answers; default 5. One answer is a single chain of thought. */
  n?: number | undefined
  /** Normalizes an answer for the vote; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
}

/** Kinds of the options of `bestOfN`. */
export const BEST_OF_N_KINDS: OptionKinds<BestOfNOptions> = { n: kind.whole(1), normalize: kind.call }

/** Answers the question several times at once and returns the most frequent answer (self-consistency), or the first verified one. */
export function bestOfN(options: BestOfNOptions = {}): Method {
  checkOptions(options, BEST_OF_N_KINDS, 'make a best-of-n search')
  const { n = 5, normalize } = options
  return withFingerprint((task: SearchTask) => new BestOfN(task, n, normalize), 'best-of-n', { n, normalize })
}

/** Maximum number of answers in flight. */
const MAX_CONCURRENT_ANSWERS = 4096

class BestOfN implements Strategy {
  readonly trees: readonly [Tree]
  readonly jobs = new OpenJobs()
  readonly #task: SearchTask
  readonly #n: number
  readonly #vote: Vote
  readonly #answers: { node: ThinkNode; verdict: Candidate['verdict'] }[] = []
  readonly #outcomes: (JobOutcome | undefined)[] = []
  #requested = 0
  /** Number of leading jobs whose outcomes were taken. */
  #takenCount = 0
  /** True once at most one more answer is awaited. */
  #isConcluding = false
  #answer: Candidate | null = null

  constructor(task: SearchTask, n: number, normalize: ((text: string) => string) | undefined) {
    this.#task = task
    this.#n = n
    this.#vote = new Vote(normalize)
    this.trees = [new Tree({ question: task.question, id: task.id })]
    this.#request()
  }

  #request(): void {
    const { root } = this.trees[0]
    for (; this.#requested < Math.min(this.#n, this.#takenCount + MAX_CONCURRENT_ANSWERS); this.#requested++) {
      const k = this.#requested
      const id = `answer:${root.id}@${k}`
      this.jobs.post({ kind: 'answer', id, position: [k], level: 0, sample: sampleOf(this.#task, k), from: [root] })
    }
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#answers.length > 0 ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.jobs.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.jobs.close(job)) return
    const k = job.position[0]!
    this.#outcomes[k] = outcome
    if (this.#isConcluding) {
      this.#take(k)
      return this.#settle()
    }
    // In the order of the jobs, so that the first verified answer is the same in every run.
    while (this.#outcomes[this.#takenCount]) this.#take(this.#takenCount++)
    if (!this.#answer) this.#request()
    if (this.jobs.size === 0) this.#settle()
  }

  #take(k: number): void {
    const outcome = this.#outcomes[k]
    if (outcome?.kind !== 'answer' || this.#answer) return
    const [tree] = this.trees
    const node = tree.add(tree.root, outcome.text, `${tree.root.id}@${k}`)
    tree.mark('answer', node)
    const { verdict } = outcome
    if (verdict) tree.verify(node, verdict)
    this.#answers.push({ node, verdict })
    // The search stops at an accepted answer, which is the best whatever its score.
    this.#vote.add(outcome.text, verdict?.accepted ? Infinity : verdict?.score)
    if (verdict?.accepted) this.#settle()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    const best = this.#answers[this.#vote.majority.index]
    if (!best) return { text: null, node: null, verdict: null, accepted: false }
    return { text: best.node.content, ...best, accepted: best.verdict?.accepted ?? true }
  }

  conclude(): void {
    if (this.#isConcluding) return
    this.#isConcluding = true
    for (let k = this.#takenCount; k < this.#outcomes.length; k++) this.#take(k)
    if (this.reserve === 0) return this.#settle()
    const [first] = this.jobs.list()
    this.jobs.drop((job) => job !== first)
  }

  #settle(): void {
    this.#answer = this.best()
    this.jobs.drop()
  }
}
