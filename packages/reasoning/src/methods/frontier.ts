import type { AnswerJob, ExpandJob, GradeJob, SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type Strategy, type SearchTask } from '../strategy/strategy.ts'
import { bestOf, estimate, isTerminal, saysTerminate } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'
import { findMajority } from '../strategy/vote.ts'
import { toFrontierSettings, type FrontierOptions, type FrontierSettings } from './frontier-options.ts'

/** Best-first search: expands the best open node of the whole tree; a good node with bad options is asked for others. */
export function bestFirst(options: FrontierOptions = {}): Method {
  const settings = toFrontierSettings(options, false)
  return (task) => new Frontier(task, settings)
}

/** Depth-first search with backtracking: goes down by the best option, drops nodes with low grades and turns back. */
export function depthFirst(options: FrontierOptions = {}): Method {
  const settings = toFrontierSettings(options, true)
  return (task) => new Frontier(task, settings)
}

/** Factor of a node's priority for every further expansion of it. */
const WIDEN_DECAY = 0.7
/** Bonus per level of depth, in grades: breaks ties in favour of deeper nodes. */
const DEPTH_BONUS = 0.05
/** Default of `pruneAt`. */
const PRUNE_AT = 0.12

interface QueueEntry {
  readonly node: ThinkNode
  /** Number of expansions of the node so far. */
  readonly times: number
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
  readonly #open = new OpenJobs()
  #queue: QueueEntry[]
  #wave = 0
  #expansions = 0
  /** The new queue entries of this wave by a key that sorts them; queued when the wave ends. */
  #next = new Map<string, QueueEntry[]>()
  /** Answers by node, sorted by index. */
  readonly #tries = new Map<ThinkNode, AnswerTry[]>()
  readonly #answersRequested = new Map<ThinkNode, number>()
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
    this.#queue = [{ node: this.trees[0].root, times: 0 }]
    this.#nextWave()
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#isConcluding || this.#tries.size > 0 ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.#open.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.#open.close(job)) return
    if (job.kind === 'expand') this.#takeOptions(job, outcome)
    else if (job.kind === 'grade') this.#takeGrades(job, outcome)
    else if (job.kind === 'answer') this.#takeAnswer(job, outcome)
    if (this.#open.size === 0 && !this.#answer) this.#nextWave()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    let best: Candidate | null = null
    for (const [node, tries] of [...this.#tries].sort(([a], [b]) => a.id.localeCompare(b.id))) {
      const candidate = this.#chooseAnswer(node, tries)
      if (!best || (estimate(node) ?? 0) > (estimate(best.node!) ?? 0)) best = candidate
      if (candidate.verdict?.accepted) return candidate
    }
    if (best) return best
    const leaves = [...this.trees[0].root.walk()].filter((node) => node.children.length === 0)
    const ends = leaves.filter((node) => isTerminal(node, this.#settings.maxDepth))
    return { text: null, node: bestOf(ends.length > 0 ? ends : leaves), verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#isConcluding || this.#answer) return
    this.#open.drop()
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
    for (const id of [...this.#next.keys()].toSorted()) this.#queue.push(...this.#next.get(id)!)
    this.#next = new Map()
    const [accepted] = this.#acceptedAnswers.toSorted((a, b) => a.node!.id.localeCompare(b.node!.id))
    if (accepted ?? this.#isConcluding) {
      this.#answer = accepted ?? this.best()
      return
    }
    this.#queue.sort((a, b) => this.#priority(b) - this.#priority(a))
    let taken = 0
    while (taken < this.#settings.width) {
      const entry = this.#queue.shift()
      if (!entry) break
      if (this.#start(entry)) taken += 1
    }
    if (taken === 0) this.#conclude()
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
    this.#requestOptions(node, times, null)
    return true
  }

  /** Whether a path with a low grade may be answered for the verifier to check; this costs half an expansion. */
  #canAffordTry(): boolean {
    if (!this.#task.verified || this.#expansions >= this.#settings.expansions) return false
    this.#expansions += 0.5
    return true
  }

  /** Requests the further grades of a path that looks finished; false when there are none to request. */
  #requestConfirmation(node: ThinkNode): boolean {
    const { confirm } = this.#settings
    if (confirm === 0 || this.#confirmations.has(node)) return false
    this.#confirmations.set(node, [node.grade!])
    for (let k = 1; k <= confirm; k++) {
      this.#open.post({
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
    if (this.#open.list().some((other) => other.kind === 'grade' && other.nodes[0] === node)) return
    this.trees[0].grade(node, grades.reduce((a, b) => a + b) / (confirm + 1), node.ratingDetails)
    this.#next.set(job.id, [{ node, times: 0 }])
  }

  #priority({ node, times }: QueueEntry): number {
    const known = node.parent ? (estimate(node) ?? 0.5) : 1
    const worth = known * WIDEN_DECAY ** times
    return this.#settings.deepFirst ? node.depth + worth : worth + DEPTH_BONUS * node.depth
  }

  /** Whether a node may be expanded again; depth first this comes before all nodes above, so the node has to be good. */
  #canWiden(node: ThinkNode, times: number): boolean {
    const { widen, deepFirst, acceptAt } = this.#settings
    return times < widen && (!deepFirst || node.parent === null || (estimate(node) ?? 0) >= acceptAt)
  }

  #requestOptions(node: ThinkNode, times: number, repair: string | null): void {
    this.#open.post({
      kind: 'expand',
      id: `expand:${node.id}#${times}${repair === null ? '' : '!'}`,
      position: [this.#wave, 0, times],
      level: 3 * this.#wave,
      sample: sampleOf(this.#task, times),
      node,
      context: null,
      repair,
    })
  }

  #takeOptions(job: ExpandJob, outcome: JobOutcome): void {
    const [tree] = this.trees
    const { node } = job
    const times = (job.sample - this.#task.sample) / this.#task.stride
    this.#next.set(`${node.id}#${times}`, this.#canWiden(node, times) ? [{ node, times: times + 1 }] : [])
    if (outcome.kind !== 'expand') return tree.mark(node.children.length > 0 ? 'expanded' : 'failed', node)
    if (outcome.options.length === 0 && job.repair === null) return this.#requestOptions(node, times, outcome.text)
    if (!node.reflection) node.reflection = outcome.reflection
    const known = new Set(node.children.map((child) => normalizeText(child.content)))
    const fresh: ThinkNode[] = []
    for (const option of outcome.options) {
      if (known.has(normalizeText(option.content))) continue
      known.add(normalizeText(option.content))
      const child = tree.add(node, option.content)
      child.output = option.output ?? null
      if (option.grade !== undefined) tree.grade(child, option.grade, String(option.grade))
      fresh.push(child)
    }
    tree.mark('expanded', node)
    const ungraded = fresh.filter((child) => !child.ratingDetails)
    this.#queueChildren(
      `${node.id}#${times}+`,
      fresh.filter((child) => child.ratingDetails),
    )
    if (this.#settings.gradeMode === 'each')
      ungraded.forEach((child, i) => this.#requestGrades([child], times, i, null))
    else if (ungraded.length > 0) this.#requestGrades(ungraded, times, 0, null)
  }

  #requestGrades(nodes: readonly ThinkNode[], times: number, index: number, repair: string | null): void {
    const name = nodes.length === 1 ? nodes[0]!.id : `children-of:${nodes[0]!.parent!.id}#${times}`
    this.#open.post({
      kind: 'grade',
      id: `grade:${name}${repair === null ? '' : '!'}`,
      position: [this.#wave, 1, times, index],
      level: 3 * this.#wave + 1,
      sample: sampleOf(this.#task, 0),
      nodes,
      // The claim that nothing is left to do would get a low rating as a step on the way.
      isOutcome: nodes.every(saysTerminate),
      context: null,
      repair,
    })
  }

  #takeGrades(job: GradeJob, outcome: JobOutcome): void {
    const [tree] = this.trees
    const confirmed = this.#confirmations.get(job.nodes[0]!)
    if (confirmed) return this.#takeConfirmation(job, confirmed, outcome)
    const grades = outcome.kind === 'grade' ? outcome.grades : []
    const unread = grades.findIndex((grade) => grade.value === null)
    if (unread >= 0 && job.repair === null) {
      return this.#requestGrades(job.nodes, job.position[2]!, job.position[3]!, grades[unread]!.details)
    }
    job.nodes.forEach((node, i) => {
      const grade = grades[i]
      if (grade) tree.grade(node, grade.value, grade.details)
    })
    this.#queueChildren(job.id, job.nodes)
  }

  /** Queues the children whose grade is high enough; a child without a grade stays, with the estimate of its parent. */
  #queueChildren(id: string, nodes: readonly ThinkNode[]): void {
    const pruneAt = this.#settings.pruneAt ?? (this.#task.verified && !this.#settings.deepFirst ? -1 : PRUNE_AT)
    const hopeless = nodes.filter((node) => node.grade !== null && node.grade <= pruneAt)
    this.trees[0].mark('pruned', ...hopeless)
    this.#next.set(
      id,
      nodes.filter((node) => !hopeless.includes(node)).map((node) => ({ node, times: 0 })),
    )
  }

  #requestAnswers(node: ThinkNode, count: number): void {
    const asked = this.#answersRequested.get(node) ?? 0
    this.#answersRequested.set(node, asked + count)
    for (let k = asked; k < asked + count; k++) {
      this.#open.post({
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
    if (this.#open.list().some((other) => other.kind === 'answer' && other.from[0] === node)) return
    const tries = this.#tries.get(node) ?? []
    const { agree, answers } = this.#settings
    const more = (this.#answersRequested.get(node) ?? 0) < answers && !this.#isConcluding
    if (tries.length === 0 || tries.some(({ verdict }) => verdict)) {
      if (tries.some(({ verdict }) => verdict?.accepted)) this.#acceptedAnswers.push(this.#chooseAnswer(node, tries))
      // A verifier rejects a good path more often for a slip in the answer than for the path.
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

  #noteTry(node: ThinkNode, made: AnswerTry): void {
    const [tree] = this.trees
    const tries = [...(this.#tries.get(node) ?? []), made].sort((a, b) => a.k - b.k)
    this.#tries.set(node, tries)
    const answer = tree.add(node, made.text, `${node.id}@${made.k}`)
    node.children.sort((a, b) => a.id.localeCompare(b.id))
    tree.mark('answer', answer)
    if (made.verdict) tree.grade(answer, made.verdict.score, made.verdict.reason ?? 'verified by code')
  }

  #chooseAnswer(node: ThinkNode, tries: readonly AnswerTry[]): Candidate {
    const verified = tries.find(({ verdict }) => verdict?.accepted)
    const { index } = findMajority(
      tries.map(({ text }) => text),
      this.#settings.normalize,
    )
    const { text, verdict } = verified ?? tries[index]!
    return { text, node, verdict, accepted: verdict?.accepted ?? false }
  }
}

const normalizeText = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
