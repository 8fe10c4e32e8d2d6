import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { settingsOf, withFingerprint } from '../strategy/fingerprint.ts'
import type { SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { hash } from '../strategy/random.ts'
import type { Candidate, JobSource, Method, Strategy, SearchTask } from '../strategy/strategy.ts'
import type { Tree } from '../tree/tree.ts'
import { findBestAnswer } from '../strategy/vote.ts'

/** Options of a forest. */
export interface ForestOptions {
  /** Number of trees; default 1: the method alone. */
  size?: number | undefined
  /** Merges the answers by one more call (`model`) or by a vote; default `model`. */
  merge?: 'model' | 'vote' | undefined
  /** Normalizes an answer for a vote; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
}

/** Kinds of the options of `forest`. */
export const FOREST_KINDS: OptionKinds<ForestOptions> = {
  size: kind.whole(1),
  merge: kind.oneOf('model', 'vote'),
  normalize: kind.call,
}

/** Runs a method several times at once, every tree with its own samples, and merges the answers. */
export function forest(method: Method, options: ForestOptions = {}): Method {
  checkOptions(options, FOREST_KINDS, 'make a forest')
  const { size = 1 } = options
  if (size === 1) return method
  const settings = { ...options, size, method: method.fingerprint }
  const made = (task: SearchTask): Forest => new Forest(task, method, { ...options, size })
  const told = { ...settings, normalize: undefined, method: settingsOf(method) }
  return withFingerprint(made, 'forest', settings, told)
}

/** One tree of a forest, and its state after its last change. */
interface Member {
  readonly strategy: Strategy
  readonly index: number
  trees: readonly Tree[]
  best: Candidate
  reserve: number
  /** Number of open jobs of the tree; 0 once it has an answer. */
  size: number
}

interface MemberJob {
  readonly member: Member
  /** The job of the tree's strategy. */
  readonly inner: SearchJob
  /** The same job with the number of the tree before its position. */
  readonly outer: SearchJob
}

class Forest implements Strategy {
  readonly #options: ForestOptions
  readonly #task: SearchTask
  readonly #members: readonly Member[]
  readonly #merge = new OpenJobs()
  readonly #byInnerJob = new Map<SearchJob, MemberJob>()
  readonly #byOuterJob = new Map<SearchJob, MemberJob>()
  /** The trees that may have new jobs. */
  readonly #changed: Set<Member>
  #trees: readonly Tree[] | undefined
  #reserve = 0
  /** Number of the open jobs of all trees. */
  #size = 0
  /** The tree with the most frequent answer so far; undefined if it has to be found again. */
  #leader: Member | null | undefined
  #answer: Candidate | null = null

  constructor(task: SearchTask, method: Method, options: ForestOptions & { size: number }) {
    this.#task = task
    this.#options = options
    this.#members = Array.from({ length: options.size }, (_, index) => {
      const strategy = method({
        question: task.question,
        id: `${task.id}t${index}/`,
        sample: task.sample + task.stride * index,
        stride: task.stride * options.size,
        random: task.random,
        verified: task.verified,
      })
      return { strategy, index, trees: strategy.trees, best: strategy.best(), reserve: 0, size: 0 }
    })
    this.#changed = new Set(this.#members)
    for (const member of this.#members) this.#refresh(member)
  }

  get trees(): readonly Tree[] {
    return (this.#trees ??= this.#members.flatMap(({ trees }) => trees))
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    if (this.#answer) return 0
    return this.#reserve + (this.#options.merge !== 'vote' && this.#merge.size === 0 ? 1 : 0)
  }

  ask(): readonly SearchJob[] {
    if (this.#answer) return []
    if (this.#merge.size > 0) return this.#merge.list()
    return this.#members.flatMap((member) => member.strategy.ask().map((job) => this.#jobOf(member, job).outer))
  }

  get jobs(): JobSource {
    return {
      has: (job) => this.#has(job),
      size: this.#answer ? 0 : this.#merge.size || this.#size,
      takePosted: () => [...this.#takePosted(), ...this.#merge.takePosted()],
    }
  }

  #has(job: SearchJob): boolean {
    if (this.#answer) return false
    if (this.#merge.size > 0) return this.#merge.has(job)
    const memberJob = this.#byOuterJob.get(job)
    if (!memberJob) return false
    const { strategy } = memberJob.member
    return strategy.jobs?.has(memberJob.inner) ?? strategy.ask().includes(memberJob.inner)
  }

  *#takePosted(): Generator<SearchJob, void, undefined> {
    for (const member of this.#changed) {
      const { jobs } = member.strategy
      const posted = jobs?.takePosted() ?? member.strategy.ask().filter((job) => !this.#byInnerJob.has(job))
      for (const job of posted) yield this.#jobOf(member, job).outer
    }
    this.#changed.clear()
  }

  #jobOf(member: Member, job: SearchJob): MemberJob {
    let memberJob = this.#byInnerJob.get(job)
    if (!memberJob) {
      memberJob = { member, inner: job, outer: { ...job, position: [member.index, ...job.position] } }
      this.#byInnerJob.set(job, memberJob)
      this.#byOuterJob.set(memberJob.outer, memberJob)
    }
    return memberJob
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (this.#answer) return
    if (this.#merge.close(job)) return this.#takeMerge(outcome)
    const memberJob = this.#byOuterJob.get(job)
    if (!memberJob) return
    this.#byOuterJob.delete(job)
    this.#byInnerJob.delete(memberJob.inner)
    memberJob.member.strategy.tell(memberJob.inner, outcome)
    this.#refresh(memberJob.member)
    this.#check()
  }

  /** Reads the state of a tree after a change. */
  #refresh(member: Member): void {
    const { strategy, best: before } = member
    member.best = strategy.best()
    if (strategy.trees !== member.trees) this.#trees = undefined
    member.trees = strategy.trees
    if (member.best.text !== before.text || member.best.verdict !== before.verdict) this.#leader = undefined
    const reserve = strategy.answer ? 0 : (strategy.reserve ?? 0)
    this.#reserve += reserve - member.reserve
    member.reserve = reserve
    const size = strategy.answer ? 0 : (strategy.jobs?.size ?? strategy.ask().length)
    this.#size += size - member.size
    member.size = size
    if (strategy.answer?.verdict?.accepted) this.#answer ??= strategy.answer
    this.#changed.add(member)
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    if (this.#leader === undefined) this.#leader = this.#findLeader()
    return this.#leader?.best ?? this.#members[0]!.best
  }

  #findLeader(): Member | null {
    const verified = this.#members.find(({ best }) => best.verdict?.accepted)
    if (verified) return verified
    const written = this.#members.filter(({ best }) => best.text !== null)
    const answers = written.map(({ best: { text, verdict } }) => ({ text: text!, verdict }))
    return written[findBestAnswer(answers, this.#options.normalize)] ?? null
  }

  conclude(): void {
    if (this.#answer || this.#merge.size > 0) return
    for (const member of this.#members) {
      member.strategy.conclude?.()
      this.#refresh(member)
    }
    this.#check()
  }

  #check(): void {
    if (this.#answer || this.#size > 0) return
    const answers = this.#members.flatMap(({ strategy }) => strategy.answer?.text ?? [])
    if (answers.length < 2 || this.#options.merge === 'vote') {
      this.#answer = this.best()
      return
    }
    this.#merge.post({
      kind: 'merge',
      id: `${this.#task.id}merge:${hash(JSON.stringify(answers)).toString(36)}`,
      position: [this.#members.length],
      level: Infinity,
      sample: this.#task.sample,
      question: this.#task.question,
      answers,
    })
  }

  #takeMerge(outcome: JobOutcome): void {
    const best = this.best()
    // The score of a verifier also decides between the merged answer and those that it was made of.
    const isBetter = outcome.kind === 'merge' && (outcome.verdict?.score ?? 0) >= (best.verdict?.score ?? 0)
    this.#answer = isBetter
      ? { text: outcome.text, node: best.node, verdict: outcome.verdict, accepted: outcome.verdict?.accepted ?? true }
      : best
  }
}
