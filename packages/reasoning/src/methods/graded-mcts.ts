import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { ExpandJob, GradeJob, SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type Strategy, type SearchTask } from '../strategy/strategy.ts'
import { Branches, Tally } from './branches.ts'
import { BestLeaf } from '../tree/best-leaf.ts'
import { isTerminal } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'

/** Options of `gradedMcts`. */
export interface GradedMctsOptions {
  /** Number of simulations; default 20. */
  nsim?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Weight of unexplored branches, by prior; default 1. */
  explorationConstant?: number | undefined
  /** Number of simulations at once; each counts those before it as losses. Default 1. */
  width?: number | undefined
  /** Grade in [0, 1] from which an answer is accepted without a verifier; default 0.85. */
  acceptAt?: number | undefined
  /** Number of visits per expansion after which a node is expanded again; default 3. */
  widenEvery?: number | undefined
}

/** Kinds of the options of `gradedMcts`. */
export const GRADED_MCTS_KINDS: OptionKinds<GradedMctsOptions> = {
  nsim: kind.whole(1),
  maxDepth: kind.limit(1),
  explorationConstant: kind.number(0),
  width: kind.limit(1),
  acceptAt: kind.finite,
  widenEvery: kind.limit(1),
}

type GradedMctsSettings = { readonly [K in keyof GradedMctsOptions]-?: number }

/**
 * Monte Carlo tree search with graded steps: a child's grade is its prior and its first visit, the reward of a simulation is
 * the best grade of its new options or that of its answer, and choices follow the true mean.
 */
export function gradedMcts(options: GradedMctsOptions = {}): Method {
  checkOptions(options, GRADED_MCTS_KINDS, 'make a graded tree search')
  const settings: GradedMctsSettings = {
    nsim: options.nsim ?? 20,
    maxDepth: options.maxDepth ?? 4,
    explorationConstant: options.explorationConstant ?? 1,
    width: options.width ?? 1,
    acceptAt: options.acceptAt ?? 0.85,
    widenEvery: options.widenEvery ?? 3,
  }
  return withFingerprint((task: SearchTask) => new GradedMcts(task, settings), 'graded-mcts', settings)
}

interface Walk {
  readonly path: readonly ThinkNode[]
  reward: number
}

class GradedMcts implements Strategy {
  readonly trees: readonly [Tree]
  readonly #task: SearchTask
  readonly #settings: GradedMctsSettings
  readonly jobs = new OpenJobs()
  readonly #leaves: BestLeaf
  readonly #tallies = new Map<ThinkNode, Tally>()
  /** The walks of this wave by their last node, in the order of their choice. */
  #walks = new Map<ThinkNode, Walk>()
  #walkCount = 0
  #best: Candidate | null = null
  /** The first accepted answer by the id of its node. */
  #accepted: Candidate | null = null
  #isConcluding = false
  #answer: Candidate | null = null

  constructor(task: SearchTask, settings: GradedMctsSettings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    this.#leaves = new BestLeaf(this.trees[0].root)
    this.#nextWave()
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#isConcluding || this.#best ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.jobs.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.jobs.close(job)) return
    if (job.kind === 'expand') this.#takeOptions(job, outcome)
    else if (job.kind === 'grade' && job.isOutcome) this.#takeOutcomeGrade(job.nodes[0]!, outcome)
    else if (job.kind === 'grade') this.#takeGrades(job, outcome)
    else if (job.kind === 'answer') this.#takeAnswer(job.from[0]!, outcome)
    if (this.jobs.size === 0 && !this.#answer) this.#nextWave()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    return this.#best ?? { text: null, node: this.#leaves.node, verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#isConcluding || this.#answer) return
    this.jobs.drop()
    this.#isConcluding = true
    const best = this.best()
    if (best.text === null) this.#requestAnswer(best.node!)
    else this.#answer = best
  }

  #tally(node: ThinkNode): Tally {
    const known = this.#tallies.get(node)
    if (known) return known
    const fresh = new Tally(node.grade ?? (node.parent ? 0.5 : 1))
    this.#tallies.set(node, fresh)
    return fresh
  }

  #nextWave(): void {
    for (const { path, reward } of this.#walks.values()) {
      for (const node of path) {
        this.#tally(node).count(reward)
        node.visits += 1
        node.value += (reward - node.value) / node.visits
      }
    }
    this.#walks = new Map()
    if (this.#accepted ?? this.#isConcluding) {
      this.#answer = this.#accepted ?? this.best()
      return
    }
    while (this.#walks.size < this.#settings.width && this.#walkCount < this.#settings.nsim) if (!this.#walk()) break
    if (this.jobs.size === 0) this.conclude()
  }

  /** Chooses one more path; returns false if another path of this wave ends at the same node. */
  #walk(): boolean {
    const path = [this.trees[0].root]
    for (let node = path[0]!; this.#descendsFrom(node); path.push(node)) node = this.#chooseChild(node)
    const end = path.at(-1)!
    if (this.#walks.has(end)) return false
    this.#walkCount += 1
    this.#walks.set(end, { path, reward: 0 })
    for (const node of path) this.#tally(node).pending += 1
    if (isTerminal(end, this.#settings.maxDepth)) this.#requestAnswer(end)
    else this.#requestOptions(end)
    return true
  }

  #descendsFrom(node: ThinkNode): boolean {
    if (isTerminal(node, this.#settings.maxDepth) || node.children.length === 0) return false
    const { visits, pending, expansions } = this.#tally(node)
    return visits + pending <= this.#settings.widenEvery * expansions
  }

  #chooseChild(node: ThinkNode): ThinkNode {
    const tally = this.#tally(node)
    tally.branches ??= new Branches((child) => this.#tally(child))
    return tally.branches.choose(node.children, tally.visits + tally.pending, this.#settings.explorationConstant)
  }

  #prior(child: ThinkNode): number {
    return child.grade ?? 0.5
  }

  #requestOptions(node: ThinkNode): void {
    const k = this.#tally(node).expansions++
    this.jobs.post({
      kind: 'expand',
      id: `expand:${node.id}#${k}`,
      position: [this.#walkCount, 0],
      level: 4 * this.#walkCount,
      sample: sampleOf(this.#task, k),
      node,
      context: null,
      repair: null,
    })
  }

  #takeOptions({ node }: ExpandJob, outcome: JobOutcome): void {
    const [tree] = this.trees
    if (outcome.kind !== 'expand') return tree.mark('failed', node)
    if (!node.reflection) node.reflection = outcome.reflection
    const known = (this.#tally(node).options ??= new Set())
    const options = outcome.options.filter(({ content }) => !known.has(content))
    for (const { content } of options) known.add(content)
    const fresh = options.map((option) => {
      const child = tree.add(node, option.content)
      child.output = option.output ?? null
      if (option.grade !== undefined) tree.grade(child, option.grade, String(option.grade))
      this.#note(child)
      return child
    })
    tree.mark('expanded', node)
    const ungraded = fresh.filter((child) => !child.ratingDetails)
    if (ungraded.length === 0) this.#rewardBest(node, fresh)
    else this.#requestGrades(ungraded)
  }

  /** Notes a leaf, as long as there is no answer that is better than all leaves. */
  #note(leaf: ThinkNode): void {
    if (!this.#best) this.#leaves.note(leaf)
  }

  #requestGrades(nodes: readonly ThinkNode[]): void {
    const parent = nodes[0]!.parent!
    const k = this.#tally(parent).expansions - 1
    this.jobs.post({
      kind: 'grade',
      id: `grade:children-of:${parent.id}#${k}`,
      position: [this.#walkCount, 1],
      level: 4 * this.#walkCount + 1,
      sample: sampleOf(this.#task, 0),
      nodes,
      isOutcome: false,
      context: null,
      repair: null,
    })
  }

  #takeGrades({ nodes }: GradeJob, outcome: JobOutcome): void {
    const grades = outcome.kind === 'grade' ? outcome.grades : []
    nodes.forEach((node, i) => {
      const grade = grades[i]
      if (grade) this.trees[0].grade(node, grade.value, grade.details)
      this.#note(node)
    })
    this.#rewardBest(nodes[0]!.parent!, nodes)
  }

  #rewardBest(parent: ThinkNode, nodes: readonly ThinkNode[]): void {
    const walk = this.#walks.get(parent)
    if (walk) walk.reward = Math.max(0, ...nodes.map((node) => this.#prior(node)))
  }

  #requestAnswer(node: ThinkNode): void {
    const tally = this.#tally(node)
    const k = tally.answers++
    this.trees[0].mark('final', node)
    this.jobs.post({
      kind: 'answer',
      id: `answer:${node.id}@${k}`,
      position: [this.#walkCount, 2],
      level: 4 * this.#walkCount + 2,
      sample: sampleOf(this.#task, k),
      from: [node],
    })
  }

  #takeAnswer(node: ThinkNode, outcome: JobOutcome): void {
    if (outcome.kind !== 'answer') return
    const [tree] = this.trees
    const answer = tree.add(node, outcome.text, `${node.id}@${this.#tally(node).answers - 1}`)
    tree.mark('answer', answer)
    const { verdict } = outcome
    if (verdict) {
      tree.verify(answer, verdict)
      const walk = this.#walks.get(node)
      if (walk) walk.reward = verdict.score
    } else if (!this.#isConcluding) this.#requestOutcomeGrade(answer)
    this.#consider({ text: outcome.text, node: answer, verdict, accepted: verdict?.accepted ?? false })
  }

  #requestOutcomeGrade(answer: ThinkNode): void {
    this.jobs.post({
      kind: 'grade',
      id: `grade:${answer.id}`,
      position: [this.#walkCount, 3],
      level: 4 * this.#walkCount + 3,
      sample: sampleOf(this.#task, 0),
      nodes: [answer],
      isOutcome: true,
      context: null,
      repair: null,
    })
  }

  #takeOutcomeGrade(answer: ThinkNode, outcome: JobOutcome): void {
    const grade = outcome.kind === 'grade' ? outcome.grades[0] : undefined
    if (grade) this.trees[0].grade(answer, grade.value, grade.details)
    const walk = this.#walks.get(answer.parent!)
    if (walk) walk.reward = grade?.value ?? 0
    const accepted = (grade?.value ?? 0) >= this.#settings.acceptAt
    this.#consider({ text: answer.content, node: answer, verdict: null, accepted })
  }

  /** Makes an answer the best so far if it is better, or first among equals; called again once it has a grade. */
  #consider(candidate: Candidate): void {
    const best = this.#best
    if (!best || best.node === candidate.node || compareCandidates(candidate, best) < 0) this.#best = candidate
    if (!candidate.accepted || (this.#accepted && compareNodes(candidate.node!, this.#accepted.node!) > 0)) return
    this.#accepted = candidate
  }
}

const rankCandidate = ({ verdict, node }: Candidate): number => (verdict?.accepted ? 2 : 0) + (node?.grade ?? 0)

const compareCandidates = (a: Candidate, b: Candidate): number =>
  rankCandidate(b) - rankCandidate(a) || compareNodes(a.node!, b.node!)

/** Compares two answers by the ids of the nodes from which they were written. */
const compareNodes = (a: ThinkNode, b: ThinkNode): number =>
  compareTexts(a.parent!.id, b.parent!.id) || compareTexts(a.id, b.id)

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b)
