import type { AnswerJob, ExpandJob, GradeJob, Job, Outcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Found, type Method, type Strategy, type Task } from '../strategy/strategy.ts'
import { bestOf, estimate, isTerminal, saysTerminate } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'
import { majority } from '../strategy/vote.ts'
import { settingsOf, type FrontierOptions, type FrontierSettings } from './frontier-options.ts'

/** Always expands the best open node of the whole tree; a good node whose options disappoint is asked for others. */
export function bestFirst(options: FrontierOptions = {}): Method {
  const settings = settingsOf(options, false)
  return (task) => new Frontier(task, settings)
}

/** Real depth-first search: goes down by the best option, gives up what is graded low and backtracks. */
export function depthFirst(options: FrontierOptions = {}): Method {
  const settings = settingsOf(options, true)
  return (task) => new Frontier(task, settings)
}

/** What a further look at a node is worth, compared with the look before. */
const WIDEN_DECAY = 0.7
/** What a level of depth is worth, in grades: breaks ties towards the end. */
const DEPTH_BONUS = 0.05
/** What is graded lower is not worth a look. */
const PRUNE_AT = 0.12

interface Item {
  readonly node: ThinkNode
  /** How often it was expanded. */
  readonly times: number
}

interface Try {
  /** Which of the node's tries it is. */
  readonly k: number
  readonly text: string
  readonly verdict: Found['verdict']
}

class Frontier implements Strategy {
  readonly trees: readonly [Tree]
  readonly #task: Task
  readonly #settings: FrontierSettings
  readonly #open = new OpenJobs()
  #queue: Item[]
  #wave = 0
  #expansions = 0
  /** What the nodes of this wave yielded, pushed when it ends, in their order. */
  #next = new Map<string, Item[]>()
  /** Answers by node, in the order of their tries. */
  readonly #texts = new Map<ThinkNode, Try[]>()
  readonly #asked = new Map<ThinkNode, number>()
  /** The grades of finished paths that are looked at again. */
  readonly #confirmed = new Map<ThinkNode, number[]>()
  /** Answers that this wave accepts; the first in the serial order wins when the wave is in. */
  #accepted: Found[] = []
  #concluding = false
  #answer: Found | null = null

  constructor(task: Task, settings: FrontierSettings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    this.#queue = [{ node: this.trees[0].root, times: 0 }]
    this.#nextWave()
  }

  get answer(): Found | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#concluding || this.#texts.size > 0 ? 0 : 1
  }

  ask(): readonly Job[] {
    return this.#open.list()
  }

  tell(job: Job, outcome: Outcome): void {
    if (!this.#open.close(job)) return
    if (job.kind === 'expand') this.#expanded(job, outcome)
    else if (job.kind === 'grade') this.#graded(job, outcome)
    else if (job.kind === 'answer') this.#answered(job, outcome)
    if (this.#open.size === 0 && !this.#answer) this.#nextWave()
  }

  best(): Found {
    if (this.#answer) return this.#answer
    let best: Found | null = null
    for (const [node, tries] of [...this.#texts].sort(([a], [b]) => a.id.localeCompare(b.id))) {
      const found = this.#chosen(node, tries)
      if (!best || (estimate(node) ?? 0) > (estimate(best.node!) ?? 0)) best = found
      if (found.verdict?.accepted) return found
    }
    if (best) return best
    const leaves = [...this.trees[0].root.walk()].filter((node) => node.children.length === 0)
    const ends = leaves.filter((node) => isTerminal(node, this.#settings.maxDepth))
    return { text: null, node: bestOf(ends.length > 0 ? ends : leaves), verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#concluding || this.#answer) return
    this.#open.drop()
    this.#conclude()
  }

  #conclude(): void {
    this.#concluding = true
    const best = this.best()
    if (best.text !== null) this.#answer = best
    else this.#askAnswers(best.node!, 1)
  }

  #nextWave(): void {
    this.#wave += 1
    for (const id of [...this.#next.keys()].toSorted()) this.#queue.push(...this.#next.get(id)!)
    this.#next = new Map()
    const [accepted] = this.#accepted.toSorted((a, b) => a.node!.id.localeCompare(b.node!.id))
    if (accepted ?? this.#concluding) {
      this.#answer = accepted ?? this.best()
      return
    }
    this.#queue.sort((a, b) => this.#priority(b) - this.#priority(a))
    let taken = 0
    while (taken < this.#settings.width) {
      const item = this.#queue.shift()
      if (!item) break
      if (this.#started(item)) taken += 1
    }
    if (taken === 0) this.#conclude()
  }

  #started({ node, times }: Item): boolean {
    const { acceptAt, answers, agree, expansions, maxDepth } = this.#settings
    if (isTerminal(node, maxDepth)) {
      this.trees[0].mark('final', node)
      const good = (node.grade ?? 0) >= acceptAt
      if (!good && !this.#worthATry()) return false
      if (good && !this.#task.verified && this.#confirms(node)) return true
      this.#askAnswers(node, this.#task.verified ? 1 : Math.min(agree, answers))
      return true
    }
    if (this.#expansions >= expansions) return false
    this.#expansions += 1
    this.#askExpand(node, times, null)
    return true
  }

  /** With a verifier a path that is graded low may be tried all the same, at the price of half an expansion. */
  #worthATry(): boolean {
    if (!this.#task.verified || this.#expansions >= this.#settings.expansions) return false
    this.#expansions += 0.5
    return true
  }

  /** Asks for the further grades of a path that looks finished; false when they are in. */
  #confirms(node: ThinkNode): boolean {
    const { confirm } = this.#settings
    if (confirm === 0 || this.#confirmed.has(node)) return false
    this.#confirmed.set(node, [node.grade!])
    for (let k = 1; k <= confirm; k++) {
      this.#open.post({
        kind: 'grade',
        id: `grade:${node.id}#${k}`,
        place: [this.#wave, 1, k],
        level: 3 * this.#wave + 1,
        sample: sampleOf(this.#task, k),
        nodes: [node],
        outcome: saysTerminate(node),
        context: null,
        repair: null,
      })
    }
    return true
  }

  #confirmedBy(job: GradeJob, grades: number[], outcome: Outcome): void {
    const [node] = job.nodes as readonly [ThinkNode]
    const grade = outcome.kind === 'grade' ? outcome.grades[0]?.value : null
    grades[job.place[2]!] = grade ?? grades[0]!
    const { confirm } = this.#settings
    if (this.#open.list().some((other) => other.kind === 'grade' && other.nodes[0] === node)) return
    this.trees[0].grade(node, grades.reduce((a, b) => a + b) / (confirm + 1), node.ratingDetails)
    this.#next.set(job.id, [{ node, times: 0 }])
  }

  #priority({ node, times }: Item): number {
    const known = node.parent ? (estimate(node) ?? 0.5) : 1
    const worth = known * WIDEN_DECAY ** times
    return this.#settings.deepFirst ? node.depth + worth : worth + DEPTH_BONUS * node.depth
  }

  /** Going deep first, another look at a node comes before all that lies above it: it has to be a good one. */
  #worthAnother(node: ThinkNode, times: number): boolean {
    const { widen, deepFirst, acceptAt } = this.#settings
    return times < widen && (!deepFirst || node.parent === null || (estimate(node) ?? 0) >= acceptAt)
  }

  #askExpand(node: ThinkNode, times: number, repair: string | null): void {
    this.#open.post({
      kind: 'expand',
      id: `expand:${node.id}#${times}${repair === null ? '' : '!'}`,
      place: [this.#wave, 0, times],
      level: 3 * this.#wave,
      sample: sampleOf(this.#task, times),
      node,
      context: null,
      repair,
    })
  }

  #expanded(job: ExpandJob, outcome: Outcome): void {
    const [tree] = this.trees
    const { node } = job
    const times = (job.sample - this.#task.sample) / this.#task.stride
    this.#next.set(`${node.id}#${times}`, this.#worthAnother(node, times) ? [{ node, times: times + 1 }] : [])
    if (outcome.kind !== 'expand') return tree.mark(node.children.length > 0 ? 'expanded' : 'failed', node)
    if (outcome.options.length === 0 && job.repair === null) return this.#askExpand(node, times, outcome.text)
    if (!node.reflection) node.reflection = outcome.reflection
    const known = new Set(node.children.map((child) => plain(child.content)))
    const fresh: ThinkNode[] = []
    for (const option of outcome.options) {
      if (known.has(plain(option.content))) continue
      known.add(plain(option.content))
      const child = tree.add(node, option.content)
      child.output = option.output ?? null
      if (option.grade !== undefined) tree.grade(child, option.grade, String(option.grade))
      fresh.push(child)
    }
    tree.mark('expanded', node)
    const ungraded = fresh.filter((child) => !child.ratingDetails)
    this.#keep(
      `${node.id}#${times}+`,
      fresh.filter((child) => child.ratingDetails),
    )
    if (this.#settings.gradeMode === 'each') ungraded.forEach((child, i) => this.#askGrade([child], times, i, null))
    else if (ungraded.length > 0) this.#askGrade(ungraded, times, 0, null)
  }

  #askGrade(nodes: readonly ThinkNode[], times: number, index: number, repair: string | null): void {
    const name = nodes.length === 1 ? nodes[0]!.id : `children-of:${nodes[0]!.parent!.id}#${times}`
    this.#open.post({
      kind: 'grade',
      id: `grade:${name}${repair === null ? '' : '!'}`,
      place: [this.#wave, 1, times, index],
      level: 3 * this.#wave + 1,
      sample: sampleOf(this.#task, 0),
      nodes,
      // That nothing is left to do is not a step on the way: it would be rated low as one.
      outcome: nodes.every(saysTerminate),
      context: null,
      repair,
    })
  }

  #graded(job: GradeJob, outcome: Outcome): void {
    const [tree] = this.trees
    const confirmed = this.#confirmed.get(job.nodes[0]!)
    if (confirmed) return this.#confirmedBy(job, confirmed, outcome)
    const grades = outcome.kind === 'grade' ? outcome.grades : []
    const unread = grades.findIndex((grade) => grade.value === null)
    if (unread >= 0 && job.repair === null) {
      return this.#askGrade(job.nodes, job.place[2]!, job.place[3]!, grades[unread]!.details)
    }
    job.nodes.forEach((node, i) => {
      const grade = grades[i]
      if (grade) tree.grade(node, grade.value, grade.details)
    })
    this.#keep(job.id, job.nodes)
  }

  /** Queues what is worth it. What could not be graded stays, with the estimate of its parent. */
  #keep(id: string, nodes: readonly ThinkNode[]): void {
    const pruneAt = this.#settings.pruneAt ?? (this.#task.verified && !this.#settings.deepFirst ? -1 : PRUNE_AT)
    const hopeless = nodes.filter((node) => node.grade !== null && node.grade <= pruneAt)
    this.trees[0].mark('pruned', ...hopeless)
    this.#next.set(
      id,
      nodes.filter((node) => !hopeless.includes(node)).map((node) => ({ node, times: 0 })),
    )
  }

  #askAnswers(node: ThinkNode, count: number): void {
    const asked = this.#asked.get(node) ?? 0
    this.#asked.set(node, asked + count)
    for (let k = asked; k < asked + count; k++) {
      this.#open.post({
        kind: 'answer',
        id: `answer:${node.id}@${k}`,
        place: [this.#wave, 2, k],
        level: 3 * this.#wave + 2,
        sample: sampleOf(this.#task, k),
        from: [node],
      })
    }
  }

  #answered(job: AnswerJob, outcome: Outcome): void {
    const [node] = job.from as readonly [ThinkNode]
    if (outcome.kind === 'answer')
      this.#noteTry(node, { k: job.place[2]!, text: outcome.text, verdict: outcome.verdict })
    if (this.#open.list().some((other) => other.kind === 'answer' && other.from[0] === node)) return
    const tries = this.#texts.get(node) ?? []
    const { agree, answers } = this.#settings
    const more = (this.#asked.get(node) ?? 0) < answers && !this.#concluding
    if (tries.length === 0 || tries.some(({ verdict }) => verdict)) {
      if (tries.some(({ verdict }) => verdict?.accepted)) this.#accepted.push(this.#chosen(node, tries))
      // A verifier rejects a good path for a slip of the pen more often than for the path.
      else if (more && (node.grade ?? 0) >= this.#settings.acceptAt) this.#askAnswers(node, 1)
      return
    }
    const { votes } = majority(
      tries.map(({ text }) => text),
      this.#settings.normalize,
    )
    if (votes < agree && more) this.#askAnswers(node, 1)
    else this.#accepted.push({ ...this.#chosen(node, tries), accepted: !this.#concluding })
  }

  #noteTry(node: ThinkNode, made: Try): void {
    const [tree] = this.trees
    const tries = [...(this.#texts.get(node) ?? []), made].sort((a, b) => a.k - b.k)
    this.#texts.set(node, tries)
    const answer = tree.add(node, made.text, `${node.id}@${made.k}`)
    node.children.sort((a, b) => a.id.localeCompare(b.id))
    tree.mark('answer', answer)
    if (made.verdict) tree.grade(answer, made.verdict.score, made.verdict.reason ?? 'verified by code')
  }

  #chosen(node: ThinkNode, tries: readonly Try[]): Found {
    const verified = tries.find(({ verdict }) => verdict?.accepted)
    const { index } = majority(
      tries.map(({ text }) => text),
      this.#settings.normalize,
    )
    const { text, verdict } = verified ?? tries[index]!
    return { text, node, verdict, accepted: verdict?.accepted ?? false }
  }
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
