import { withFingerprint } from '../strategy/fingerprint.ts'
import type { AnswerJob, ExpandJob, GradeJob, SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type Strategy, type SearchTask } from '../strategy/strategy.ts'
import { BestLeaf } from '../tree/best-leaf.ts'
import { Heap } from '../tree/heap.ts'
import { estimate, isTerminal, saysTerminate } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'
import { findBestAnswer, findMajority } from '../strategy/vote.ts'
import { toFrontierSettings, type FrontierOptions, type FrontierSettings } from './frontier-options.ts'

/** Best-first search: expands the best open node of the whole tree; a good node with bad options is expanded again. */
export function bestFirst(options: FrontierOptions = {}): Method {
  const settings = toFrontierSettings(options, false)
  return withFingerprint((task: SearchTask) => new Frontier(task, settings), 'best-first', settings)
}

/** Depth-first search with backtracking: goes down by the best option, drops nodes with low grades and turns back. */
export function depthFirst(options: FrontierOptions = {}): Method {
  const settings = toFrontierSettings(options, true)
  return withFingerprint((task: SearchTask) => new Frontier(task, settings), 'depth-first', settings)
}

/** Factor of a node's priority for every further expansion of it. */
const WIDEN_DECAY = 0.7
/** Bonus per level of depth, in grades: deeper nodes win ties. */
const DEPTH_BONUS = 0.05
/** Default of `pruneAt`. */
const DEFAULT_PRUNE_GRADE = 0.12

interface QueueEntry {
  readonly node: ThinkNode
  /** Number of expansions of the node so far. */
  readonly times: number
  readonly priority: number
}

interface AnswerTry {
  /** Index among the tries of the node. */
  readonly k: number
  readonly text: string
  readonly verdict: Candidate['verdict']
}

class Frontier implements Strategy {
  readonly trees: readonly [Tree]
  readonly #task: SearchTask
  readonly #settings: FrontierSettings
  readonly jobs = new OpenJobs()
  readonly #leaves: BestLeaf
  /** The open nodes; the first one is expanded next. */
  readonly #queue = new Heap<QueueEntry>((a, b) => b.priority - a.priority)
  #wave = 0
  #expansions = 0
  /** The new queue entries of this wave by a key that sorts them; enqueued when the wave ends. */
  #next = new Map<string, { node: ThinkNode; times: number }[]>()
  /** The options of a node so far, normalized. */
  readonly #options = new Map<ThinkNode, Set<string>>()
  /** Answers by node, sorted by index. */
  readonly #tries = new Map<ThinkNode, AnswerTry[]>()
  readonly #answersRequested = new Map<ThinkNode, number>()
  /** The best answer so far. */
  #bestTry: Candidate | null = null
  /** Number of open jobs for a finished path, further grades or answers, by its node. */
  readonly #openJobsOf = new Map<ThinkNode, number>()
  /** The grades of finished paths for which further grades were requested. */
  readonly #confirmations = new Map<ThinkNode, number[]>()
  /** Answers accepted in this wave; the first in the serial order wins when the wave ends. */
  #acceptedAnswers: Candidate[] = []
  #isConcluding = false
  #answer: Candidate | null = null

  constructor(task: SearchTask, settings: FrontierSettings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    const { root } = this.trees[0]
    this.#leaves = new BestLeaf(root, (node) => isTerminal(node, settings.maxDepth))
    this.#enqueue(root, 0)
    this.#nextWave()
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#isConcluding || this.#tries.size > 0 ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.jobs.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.jobs.close(job)) return
    if (job.kind === 'expand') this.#takeOptions(job, outcome)
    else if (job.kind === 'grade') this.#takeGrades(job, outcome)
    else if (job.kind === 'answer') this.#takeAnswer(job, outcome)
    if (this.jobs.size === 0 && !this.#answer) this.#nextWave()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    return this.#bestTry ?? { text: null, node: this.#leaves.node, verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#isConcluding || this.#answer) return
    this.jobs.drop()
    this.#openJobsOf.clear()
    this.#conclude()
  }

  #conclude(): void {
    this.#isConcluding = true
    const best = this.best()
    if (best.text !== null) this.#answer = best
    else this.#requestAnswers(best.node!, 1)
  }

  #nextWave(): void {
    this.#wave += 1
    for (const id of [...this.#next.keys()].toSorted())
      for (const { node, times } of this.#next.get(id)!) this.#enqueue(node, times)
    this.#next = new Map()
    const [accepted] = this.#acceptedAnswers.toSorted((a, b) => compareTexts(a.node!.id, b.node!.id))
    if (accepted ?? this.#isConcluding) {
      this.#answer = accepted ?? this.best()
      return
    }
    let taken = 0
    while (taken < this.#settings.width) {
      const entry = this.#queue.pop()
      if (!entry) break
      if (this.#start(entry)) taken += 1
    }
    if (taken === 0) this.#conclude()
  }

  #enqueue(node: ThinkNode, times: number): void {
    this.#queue.push({ node, times, priority: this.#priority(node, times) })
  }

  #start({ node, times }: QueueEntry): boolean {
    const { acceptAt, answers, agree, expansions, maxDepth } = this.#settings
    if (isTerminal(node, maxDepth)) {
      this.trees[0].mark('final', node)
      const good = (node.grade ?? 0) >= acceptAt
      if (!good && !this.#canAffordTry()) return false
      if (good && !this.#task.verified && this.#requestConfirmation(node)) return true
      this.#requestAnswers(node, this.#task.verified ? 1 : Math.min(agree, answers))
      return true
    }
    if (this.#expansions >= expansions) return false
    this.#expansions += 1
    this.#requestOptions(node, times)
    return true
  }

  /** True if a path with a low grade may be answered for the verifier to check; this costs half an expansion. */
  #canAffordTry(): boolean {
    if (!this.#task.verified || this.#expansions >= this.#settings.expansions) return false
    this.#expansions += 0.5
    return true
  }

  /** Requests the further grades of a path that looks finished; returns false if there are none to request. */
  #requestConfirmation(node: ThinkNode): boolean {
    const { confirm } = this.#settings
    if (confirm === 0 || this.#confirmations.has(node)) return false
    this.#confirmations.set(node, [node.grade!])
    this.#openJobsOf.set(node, confirm)
    for (let k = 1; k <= confirm; k++) {
      this.jobs.post({
        kind: 'grade',
        id: `grade:${node.id}#${k}`,
        position: [this.#wave, 1, k],
        level: 3 * this.#wave + 1,
        sample: sampleOf(this.#task, k),
        nodes: [node],
        isOutcome: saysTerminate(node),
        context: null,
        repair: null,
      })
    }
    return true
  }

  #takeConfirmation(job: GradeJob, grades: number[], outcome: JobOutcome): void {
    const [node] = job.nodes as readonly [ThinkNode]
    const grade = outcome.kind === 'grade' ? outcome.grades[0]?.value : null
    grades[job.position[2]!] = grade ?? grades[0]!
    const { confirm } = this.#settings
    if (!this.#isLast(node)) return
    this.trees[0].grade(node, grades.reduce((a, b) => a + b) / (confirm + 1), node.ratingDetails)
    this.#note(node)
    this.#next.set(job.id, [{ node, times: 0 }])
  }

  #priority(node: ThinkNode, times: number): number {
    const known = node.parent ? (estimate(node) ?? 0.5) : 1
    const worth = known * WIDEN_DECAY ** times
    return this.#settings.deepFirst ? node.depth + worth : worth + DEPTH_BONUS * node.depth
  }

  /** True if a node may be expanded again; depth first this precedes all nodes above it, so the node has to be good. */
  #canWiden(node: ThinkNode, times: number): boolean {
    const { widen, deepFirst, acceptAt } = this.#settings
    return times < widen && (!deepFirst || node.parent === null || (estimate(node) ?? 0) >= acceptAt)
  }

  /** Notes a leaf, as long as there is no answer that is better than all leaves. */
  #note(leaf: ThinkNode): void {
    if (!this.#bestTry) this.#leaves.note(leaf)
  }

  /** Counts the end of a job for a finished path; returns true for the last one in flight. */
  #isLast(node: ThinkNode): boolean {
    const openJobs = this.#openJobsOf.get(node)! - 1
    this.#openJobsOf.set(node, openJobs)
    return openJobs === 0
  }

  #requestOptions(node: ThinkNode, times: number): void {
    this.jobs.post({
      kind: 'expand',
      id: `expand:${node.id}#${times}`,
      position: [this.#wave, 0, times],
      level: 3 * this.#wave,
      sample: sampleOf(this.#task, times),
      node,
      context: null,
      repair: null,
    })
  }

  #takeOptions(job: ExpandJob, outcome: JobOutcome): void {
    const [tree] = this.trees
    const { node } = job
    const times = (job.sample - this.#task.sample) / this.#task.stride
    this.#next.set(`${node.id}#${times}`, this.#canWiden(node, times) ? [{ node, times: times + 1 }] : [])
    if (outcome.kind !== 'expand') return tree.mark(node.children.length > 0 ? 'expanded' : 'failed', node)
    if (!node.reflection) node.reflection = outcome.reflection
    const known = this.#options.get(node) ?? new Set<string>()
    this.#options.set(node, known)
    const fresh: ThinkNode[] = []
    for (const option of outcome.options) {
      const text = normalizeText(option.content)
      if (known.has(text)) continue
      known.add(text)
      const child = tree.add(node, option.content)
      child.output = option.output ?? null
      if (option.grade !== undefined) tree.grade(child, option.grade, String(option.grade))
      this.#note(child)
      fresh.push(child)
    }
    tree.mark('expanded', node)
    const ungraded = fresh.filter((child) => !child.ratingDetails)
    this.#enqueueChildren(
      `${node.id}#${times}+`,
      fresh.filter((child) => child.ratingDetails),
    )
    if (this.#settings.gradeMode === 'each') ungraded.forEach((child, i) => this.#requestGrades([child], times, i))
    else if (ungraded.length > 0) this.#requestGrades(ungraded, times, 0)
  }

  #requestGrades(nodes: readonly ThinkNode[], times: number, index: number): void {
    const name = nodes.length === 1 ? nodes[0]!.id : `children-of:${nodes[0]!.parent!.id}#${times}`
    this.jobs.post({
      kind: 'grade',
      id: `grade:${name}`,
      position: [this.#wave, 1, times, index],
      level: 3 * this.#wave + 1,
      sample: sampleOf(this.#task, 0),
      nodes,
      // As a step, the claim that nothing is left to do would get a low rating.
      isOutcome: nodes.every(saysTerminate),
      context: null,
      repair: null,
    })
  }

  #takeGrades(job: GradeJob, outcome: JobOutcome): void {
    const [tree] = this.trees
    const confirmed = this.#confirmations.get(job.nodes[0]!)
    if (confirmed) return this.#takeConfirmation(job, confirmed, outcome)
    const grades = outcome.kind === 'grade' ? outcome.grades : []
    job.nodes.forEach((node, i) => {
      const grade = grades[i]
      if (grade) tree.grade(node, grade.value, grade.details)
      this.#note(node)
    })
    this.#enqueueChildren(job.id, job.nodes)
  }

  /** Enqueues children with a sufficient grade; a child without a grade stays, with the estimate of its parent. */
  #enqueueChildren(id: string, nodes: readonly ThinkNode[]): void {
    const pruneAt =
      this.#settings.pruneAt ?? (this.#task.verified && !this.#settings.deepFirst ? -1 : DEFAULT_PRUNE_GRADE)
    const isHopeless = (node: ThinkNode): boolean => node.grade !== null && node.grade <= pruneAt
    for (const node of nodes) if (isHopeless(node)) this.trees[0].mark('pruned', node)
    this.#next.set(
      id,
      nodes.filter((node) => !isHopeless(node)).map((node) => ({ node, times: 0 })),
    )
  }

  #requestAnswers(node: ThinkNode, count: number): void {
    const requested = this.#answersRequested.get(node) ?? 0
    this.#answersRequested.set(node, requested + count)
    this.#openJobsOf.set(node, (this.#openJobsOf.get(node) ?? 0) + count)
    for (let k = requested; k < requested + count; k++) {
      this.jobs.post({
        kind: 'answer',
        id: `answer:${node.id}@${k}`,
        position: [this.#wave, 2, k],
        level: 3 * this.#wave + 2,
        sample: sampleOf(this.#task, k),
        from: [node],
      })
    }
  }

  #takeAnswer(job: AnswerJob, outcome: JobOutcome): void {
    const [node] = job.from as readonly [ThinkNode]
    if (outcome.kind === 'answer')
      this.#noteTry(node, { k: job.position[2]!, text: outcome.text, verdict: outcome.verdict })
    if (!this.#isLast(node)) return
    const tries = this.#tries.get(node) ?? []
    const { agree, answers } = this.#settings
    const more = (this.#answersRequested.get(node) ?? 0) < answers && !this.#isConcluding
    if (tries.length === 0 || tries.some(({ verdict }) => verdict)) {
      if (tries.some(({ verdict }) => verdict?.accepted)) this.#acceptedAnswers.push(this.#chooseAnswer(node, tries))
      // When a verifier rejects a good path, the slip is more often in the answer than in the path.
      else if (more && (node.grade ?? 0) >= this.#settings.acceptAt) this.#requestAnswers(node, 1)
      return
    }
    const { votes } = findMajority(
      tries.map(({ text }) => text),
      this.#settings.normalize,
    )
    if (votes < agree && more) this.#requestAnswers(node, 1)
    else this.#acceptedAnswers.push({ ...this.#chooseAnswer(node, tries), accepted: !this.#isConcluding })
  }

  #noteTry(node: ThinkNode, attempt: AnswerTry): void {
    const [tree] = this.trees
    const tries = [...(this.#tries.get(node) ?? []), attempt].sort((a, b) => a.k - b.k)
    this.#tries.set(node, tries)
    const answer = tree.add(node, attempt.text, `${node.id}@${attempt.k}`)
    node.children.sort((a, b) => compareTexts(a.id, b.id))
    tree.mark('answer', answer)
    const candidate = this.#chooseAnswer(node, tries)
    if (this.#bestTry?.node === node || !this.#bestTry || compareCandidates(candidate, this.#bestTry) < 0)
      this.#bestTry = candidate
    if (attempt.verdict) tree.verify(answer, attempt.verdict)
  }

  #chooseAnswer(node: ThinkNode, tries: readonly AnswerTry[]): Candidate {
    const verified = tries.find(({ verdict }) => verdict?.accepted)
    const { text, verdict } = verified ?? tries[findBestAnswer(tries, this.#settings.normalize)]!
    return { text, node, verdict, accepted: verdict?.accepted ?? false }
  }
}

/** Compares two answers: accepted ones first, then by the score of the verifier, then by the grade of the path. */
const compareCandidates = (a: Candidate, b: Candidate): number =>
  Number(b.accepted) - Number(a.accepted) ||
  (a.accepted ? 0 : (b.verdict?.score ?? 0) - (a.verdict?.score ?? 0)) ||
  (a.accepted ? 0 : (estimate(b.node!) ?? 0) - (estimate(a.node!) ?? 0)) ||
  compareTexts(a.node!.id, b.node!.id)

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b)

const normalizeText = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
