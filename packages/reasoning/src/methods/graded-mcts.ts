import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { ExpandJob, GradeJob, SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type Strategy, type SearchTask } from '../strategy/strategy.ts'
import { bestOf, isTerminal } from '../tree/terminal.ts'
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
  /** Number of simulations at once, each counting those before it as lost; default 1. */
  width?: number | undefined
  /** Grade in [0, 1] from which an answer is accepted without a verifier; default 0.85. */
  acceptAt?: number | undefined
  /** Number of visits per expansion after which a node is asked for further options; default 3. */
  widenEvery?: number | undefined
}

const KINDS: OptionKinds<GradedMctsOptions> = {
  nsim: kind.whole(1),
  maxDepth: kind.limit(1),
  explorationConstant: kind.number(0),
  width: kind.limit(1),
  acceptAt: kind.finite,
  widenEvery: kind.limit(1),
}

type GradedMctsSettings = { readonly [K in keyof GradedMctsOptions]-?: number }

/**
 * Monte Carlo tree search whose steps are graded: a child's grade is its prior and its first visit, a simulation ends
 * with the best grade of the options it candidate or with a graded or verified answer, and choices follow the true mean.
 */
export function gradedMcts(options: GradedMctsOptions = {}): Method {
  checkOptions(options, KINDS, 'make a graded tree search')
  const settings: GradedMctsSettings = {
    nsim: options.nsim ?? 20,
    maxDepth: options.maxDepth ?? 4,
    explorationConstant: options.explorationConstant ?? 1,
    width: options.width ?? 1,
    acceptAt: options.acceptAt ?? 0.85,
    widenEvery: options.widenEvery ?? 3,
  }
  return (task) => new GradedMcts(task, settings)
}

/** The counts of a node. */
interface Tally {
  visits: number
  total: number
  expansions: number
  answers: number
}

interface Walk {
  readonly path: readonly ThinkNode[]
  reward: number
}

class GradedMcts implements Strategy {
  readonly trees: readonly [Tree]
  readonly #task: SearchTask
  readonly #settings: GradedMctsSettings
  readonly #open = new OpenJobs()
  readonly #tallies = new Map<ThinkNode, Tally>()
  /** The walks of this wave by their last node, in the order of their choice. */
  #walks = new Map<ThinkNode, Walk>()
  #walkCount = 0
  #candidates: Candidate[] = []
  #isConcluding = false
  #answer: Candidate | null = null

  constructor(task: SearchTask, settings: GradedMctsSettings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    this.#nextWave()
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#isConcluding || this.#candidates.length > 0 ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.#open.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.#open.close(job)) return
    if (job.kind === 'expand') this.#takeOptions(job, outcome)
    else if (job.kind === 'grade' && job.isOutcome) this.#takeOutcomeGrade(job.nodes[0]!, outcome)
    else if (job.kind === 'grade') this.#takeGrades(job, outcome)
    else if (job.kind === 'answer') this.#takeAnswer(job.from[0]!, outcome)
    if (this.#open.size === 0 && !this.#answer) this.#nextWave()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    let best: Candidate | null = null
    for (const candidate of this.#candidates)
      if (!best || rankCandidate(candidate) > rankCandidate(best)) best = candidate
    const leaves = [...this.trees[0].root.walk()].filter((node) => node.children.length === 0)
    return best ?? { text: null, node: bestOf(leaves), verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#isConcluding || this.#answer) return
    this.#open.drop()
    this.#isConcluding = true
    const best = this.best()
    if (best.text === null) this.#requestAnswer(best.node!)
    else this.#answer = best
  }

  #tally(node: ThinkNode): Tally {
    const known = this.#tallies.get(node)
    if (known) return known
    const fresh = { visits: 1, total: node.grade ?? (node.parent ? 0.5 : 1), expansions: 0, answers: 0 }
    this.#tallies.set(node, fresh)
    return fresh
  }

  #nextWave(): void {
    for (const { path, reward } of this.#walks.values()) {
      for (const node of path) {
        const tally = this.#tally(node)
        tally.visits += 1
        tally.total += reward
        node.visits += 1
        node.value += (reward - node.value) / node.visits
      }
    }
    this.#walks = new Map()
    const accepted = this.#candidates.find((candidate) => candidate.accepted)
    if (accepted ?? this.#isConcluding) {
      this.#answer = accepted ?? this.best()
      return
    }
    while (this.#walks.size < this.#settings.width && this.#walkCount < this.#settings.nsim) if (!this.#walk()) break
    if (this.#open.size === 0) this.conclude()
  }

  /** Chooses one more path; false when another path of this wave ends at the same node. */
  #walk(): boolean {
    const path = [this.trees[0].root]
    for (let node = path[0]!; this.#descendsFrom(node); path.push(node)) node = this.#chooseChild(node)
    const end = path.at(-1)!
    if (this.#walks.has(end)) return false
    this.#walkCount += 1
    this.#walks.set(end, { path, reward: 0 })
    if (isTerminal(end, this.#settings.maxDepth)) this.#requestAnswer(end)
    else this.#requestOptions(end)
    return true
  }

  #descendsFrom(node: ThinkNode): boolean {
    if (isTerminal(node, this.#settings.maxDepth) || node.children.length === 0) return false
    const { visits, expansions } = this.#tally(node)
    return visits + this.#pending(node) <= this.#settings.widenEvery * expansions
  }

  #pending(node: ThinkNode): number {
    let pending = 0
    for (const { path } of this.#walks.values()) if (path.includes(node)) pending += 1
    return pending
  }

  #chooseChild(node: ThinkNode): ThinkNode {
    const { children } = node
    const priors = children.map((child) => (child.ratingDetails ? this.#prior(child) : 0.5) + 0.01)
    const sum = priors.reduce((a, b) => a + b, 0)
    const visits = Math.sqrt(this.#tally(node).visits + this.#pending(node))
    let best = 0
    let rank = -Infinity
    children.forEach((child, i) => {
      const tally = this.#tally(child)
      const n = tally.visits + this.#pending(child)
      const bound = tally.total / n + (this.#settings.explorationConstant * (priors[i]! / sum) * visits) / n
      if (bound > rank) [best, rank] = [i, bound]
    })
    return children[best]!
  }

  #prior(child: ThinkNode): number {
    return child.grade ?? 0.5
  }

  #requestOptions(node: ThinkNode): void {
    this.#postExpand(node, this.#tally(node).expansions++, null)
  }

  #postExpand(node: ThinkNode, k: number, repair: string | null): void {
    this.#open.post({
      kind: 'expand',
      id: `expand:${node.id}#${k}${repair === null ? '' : '!'}`,
      position: [this.#walkCount, 0],
      level: 4 * this.#walkCount,
      sample: sampleOf(this.#task, k),
      node,
      context: null,
      repair,
    })
  }

  #takeOptions({ node, repair }: ExpandJob, outcome: JobOutcome): void {
    const [tree] = this.trees
    if (outcome.kind !== 'expand') return tree.mark('failed', node)
    if (outcome.options.length === 0 && repair === null) {
      return this.#postExpand(node, this.#tally(node).expansions - 1, outcome.text)
    }
    if (!node.reflection) node.reflection = outcome.reflection
    const known = new Set(node.children.map((child) => child.content))
    const fresh = outcome.options
      .filter((option) => !known.has(option.content))
      .map((option) => {
        const child = tree.add(node, option.content)
        child.output = option.output ?? null
        if (option.grade !== undefined) tree.grade(child, option.grade, String(option.grade))
        return child
      })
    tree.mark('expanded', node)
    const ungraded = fresh.filter((child) => !child.ratingDetails)
    if (ungraded.length === 0) this.#rewardBest(node, fresh)
    else this.#requestGrades(ungraded, null)
  }

  #requestGrades(nodes: readonly ThinkNode[], repair: string | null): void {
    const parent = nodes[0]!.parent!
    const k = this.#tally(parent).expansions - 1
    this.#open.post({
      kind: 'grade',
      id: `grade:children-of:${parent.id}#${k}${repair === null ? '' : '!'}`,
      position: [this.#walkCount, 1],
      level: 4 * this.#walkCount + 1,
      sample: sampleOf(this.#task, 0),
      nodes,
      isOutcome: false,
      context: null,
      repair,
    })
  }

  #takeGrades({ nodes, repair }: GradeJob, outcome: JobOutcome): void {
    const grades = outcome.kind === 'grade' ? outcome.grades : []
    const unread = grades.find(({ value }) => value === null)
    if (unread && repair === null) return this.#requestGrades(nodes, unread.details)
    nodes.forEach((node, i) => {
      const grade = grades[i]
      if (grade) this.trees[0].grade(node, grade.value, grade.details)
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
    this.#open.post({
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
      tree.grade(answer, verdict.score, verdict.reason ?? 'verified by code')
      const walk = this.#walks.get(node)
      if (walk) walk.reward = verdict.score
    } else if (!this.#isConcluding) this.#requestOutcomeGrade(answer)
    this.#candidates.push({ text: outcome.text, node: answer, verdict, accepted: verdict?.accepted ?? false })
    this.#candidates.sort((a, b) => a.node!.id.localeCompare(b.node!.id))
  }

  #requestOutcomeGrade(answer: ThinkNode): void {
    this.#open.post({
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
    if ((grade?.value ?? 0) < this.#settings.acceptAt) return
    this.#candidates = this.#candidates.map((candidate) =>
      candidate.node === answer ? { ...candidate, accepted: true } : candidate,
    )
  }
}

const rankCandidate = ({ verdict, node }: Candidate): number => (verdict?.accepted ? 2 : 0) + (node?.grade ?? 0)
