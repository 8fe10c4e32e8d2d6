import { XError } from '@x/kernel'
import type { ExpandJob, GradeJob, Job, Outcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Found, type Method, type Strategy, type Task } from '../strategy/strategy.ts'
import { bestOf, isTerminal } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'

/** Options of the tree search with graded priors. */
export interface GradedMctsOptions {
  /** Simulations; default 20. */
  nsim?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Weight of the unexplored, by prior; default 1. */
  explorationConstant?: number | undefined
  /** Simulations that choose at once, each counting those before it as lost; default 1. */
  width?: number | undefined
  /** Outcome grade in [0, 1] from which an answer is taken without a verifier; default 0.85. */
  acceptAt?: number | undefined
  /** Visits per expansion after which a node is asked for further options; default 3. */
  widenEvery?: number | undefined
}

type Settings = { readonly [K in keyof GradedMctsOptions]-?: number }

/**
 * Monte Carlo tree search whose steps are graded: a child's grade is its prior and its first visit, a simulation ends
 * with the best grade of the options it found or with a graded or verified answer, and choices follow the true mean.
 */
export function gradedMcts(options: GradedMctsOptions = {}): Method {
  const settings: Settings = {
    nsim: options.nsim ?? 20,
    maxDepth: options.maxDepth ?? 4,
    explorationConstant: options.explorationConstant ?? 1,
    width: options.width ?? 1,
    acceptAt: options.acceptAt ?? 0.85,
    widenEvery: options.widenEvery ?? 3,
  }
  for (const key of ['nsim', 'maxDepth', 'width', 'widenEvery'] as const) {
    if (settings[key] >= 1) continue
    throw new XError('invalid-argument', `a tree search was given \`${key}: ${settings[key]}\`: give at least 1`)
  }
  return (task) => new GradedMcts(task, settings)
}

/** What the search knows of a node beside its grade. */
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
  readonly #task: Task
  readonly #settings: Settings
  readonly #open = new OpenJobs()
  readonly #tallies = new Map<ThinkNode, Tally>()
  /** The walks of this wave by their end, in the order of their choice. */
  #walks = new Map<ThinkNode, Walk>()
  #walked = 0
  #found: Found[] = []
  #concluding = false
  #answer: Found | null = null

  constructor(task: Task, settings: Settings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    this.#nextWave()
  }

  get answer(): Found | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#concluding || this.#found.length > 0 ? 0 : 1
  }

  ask(): readonly Job[] {
    return this.#open.list()
  }

  tell(job: Job, outcome: Outcome): void {
    if (!this.#open.close(job)) return
    if (job.kind === 'expand') this.#expanded(job, outcome)
    else if (job.kind === 'grade' && job.outcome) this.#judged(job.nodes[0]!, outcome)
    else if (job.kind === 'grade') this.#graded(job, outcome)
    else if (job.kind === 'answer') this.#answered(job.from[0]!, outcome)
    if (this.#open.size === 0 && !this.#answer) this.#nextWave()
  }

  best(): Found {
    if (this.#answer) return this.#answer
    let best: Found | null = null
    for (const found of this.#found) if (!best || height(found) > height(best)) best = found
    const leaves = [...this.trees[0].root.walk()].filter((node) => node.children.length === 0)
    return best ?? { text: null, node: bestOf(leaves), verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#concluding || this.#answer) return
    this.#open.drop()
    this.#concluding = true
    const best = this.best()
    if (best.text === null) this.#askAnswer(best.node!)
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
    const accepted = this.#found.find((found) => found.accepted)
    if (accepted ?? this.#concluding) {
      this.#answer = accepted ?? this.best()
      return
    }
    while (this.#walks.size < this.#settings.width && this.#walked < this.#settings.nsim) if (!this.#walk()) break
    if (this.#open.size === 0) this.conclude()
  }

  /** Chooses one more path; false when it would end where another of this wave already ends. */
  #walk(): boolean {
    const path = [this.trees[0].root]
    for (let node = path[0]!; this.#goesOn(node); path.push(node)) node = this.#chosen(node)
    const end = path.at(-1)!
    if (this.#walks.has(end)) return false
    this.#walked += 1
    this.#walks.set(end, { path, reward: 0 })
    if (isTerminal(end, this.#settings.maxDepth)) this.#askAnswer(end)
    else this.#askExpand(end)
    return true
  }

  #goesOn(node: ThinkNode): boolean {
    if (isTerminal(node, this.#settings.maxDepth) || node.children.length === 0) return false
    const { visits, expansions } = this.#tally(node)
    return visits + this.#pending(node) <= this.#settings.widenEvery * expansions
  }

  #pending(node: ThinkNode): number {
    let pending = 0
    for (const { path } of this.#walks.values()) if (path.includes(node)) pending += 1
    return pending
  }

  #chosen(node: ThinkNode): ThinkNode {
    const { children } = node
    const priors = children.map((child) => (child.ratingDetails ? this.#prior(child) : 0.5) + 0.01)
    const sum = priors.reduce((a, b) => a + b, 0)
    const visits = Math.sqrt(this.#tally(node).visits + this.#pending(node))
    let best = 0
    let height = -Infinity
    children.forEach((child, i) => {
      const tally = this.#tally(child)
      const n = tally.visits + this.#pending(child)
      const bound = tally.total / n + (this.#settings.explorationConstant * (priors[i]! / sum) * visits) / n
      if (bound > height) [best, height] = [i, bound]
    })
    return children[best]!
  }

  #prior(child: ThinkNode): number {
    return child.grade ?? 0.5
  }

  #askExpand(node: ThinkNode): void {
    this.#postExpand(node, this.#tally(node).expansions++, null)
  }

  #postExpand(node: ThinkNode, k: number, repair: string | null): void {
    this.#open.post({
      kind: 'expand',
      id: `expand:${node.id}#${k}${repair === null ? '' : '!'}`,
      place: [this.#walked, 0],
      level: 4 * this.#walked,
      sample: sampleOf(this.#task, k),
      node,
      context: null,
      repair,
    })
  }

  #expanded({ node, repair }: ExpandJob, outcome: Outcome): void {
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
    else this.#askGrades(ungraded, null)
  }

  #askGrades(nodes: readonly ThinkNode[], repair: string | null): void {
    const parent = nodes[0]!.parent!
    const k = this.#tally(parent).expansions - 1
    this.#open.post({
      kind: 'grade',
      id: `grade:children-of:${parent.id}#${k}${repair === null ? '' : '!'}`,
      place: [this.#walked, 1],
      level: 4 * this.#walked + 1,
      sample: sampleOf(this.#task, 0),
      nodes,
      outcome: false,
      context: null,
      repair,
    })
  }

  #graded({ nodes, repair }: GradeJob, outcome: Outcome): void {
    const grades = outcome.kind === 'grade' ? outcome.grades : []
    const unread = grades.find(({ value }) => value === null)
    if (unread && repair === null) return this.#askGrades(nodes, unread.details)
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

  #askAnswer(node: ThinkNode): void {
    const tally = this.#tally(node)
    const k = tally.answers++
    this.trees[0].mark('final', node)
    this.#open.post({
      kind: 'answer',
      id: `answer:${node.id}@${k}`,
      place: [this.#walked, 2],
      level: 4 * this.#walked + 2,
      sample: sampleOf(this.#task, k),
      from: [node],
    })
  }

  #answered(node: ThinkNode, outcome: Outcome): void {
    if (outcome.kind !== 'answer') return
    const [tree] = this.trees
    const answer = tree.add(node, outcome.text, `${node.id}@${this.#tally(node).answers - 1}`)
    tree.mark('answer', answer)
    const { verdict } = outcome
    if (verdict) {
      tree.grade(answer, verdict.score, verdict.reason ?? 'verified by code')
      const walk = this.#walks.get(node)
      if (walk) walk.reward = verdict.score
    } else if (!this.#concluding) this.#askOutcome(answer)
    this.#found.push({ text: outcome.text, node: answer, verdict, accepted: verdict?.accepted ?? false })
    this.#found.sort((a, b) => a.node!.id.localeCompare(b.node!.id))
  }

  #askOutcome(answer: ThinkNode): void {
    this.#open.post({
      kind: 'grade',
      id: `grade:${answer.id}`,
      place: [this.#walked, 3],
      level: 4 * this.#walked + 3,
      sample: sampleOf(this.#task, 0),
      nodes: [answer],
      outcome: true,
      context: null,
      repair: null,
    })
  }

  #judged(answer: ThinkNode, outcome: Outcome): void {
    const grade = outcome.kind === 'grade' ? outcome.grades[0] : undefined
    if (grade) this.trees[0].grade(answer, grade.value, grade.details)
    const walk = this.#walks.get(answer.parent!)
    if (walk) walk.reward = grade?.value ?? 0
    if ((grade?.value ?? 0) < this.#settings.acceptAt) return
    this.#found = this.#found.map((found) => (found.node === answer ? { ...found, accepted: true } : found))
  }
}

const height = ({ verdict, node }: Found): number => (verdict?.accepted ? 2 : 0) + (node?.grade ?? 0)
