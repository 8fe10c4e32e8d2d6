import { XError } from '@x/kernel'
import type { AnswerApproach } from '@x/interfaces'
import type { GradeJob, Job, Outcome, Place } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Found, type Method, type Strategy, type Task } from '../strategy/strategy.ts'
import { bestOf, isTerminal } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'

/** How siblings are graded: one call for each, or one for all children of a parent. */
export type GradeMode = 'each' | 'per-parent'

/** Options of a beam search. */
export interface BeamOptions {
  /** Nodes kept per level; default 3. */
  beamSize?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Whether the answer is made from all finished paths or from the best alone; default `pool`. */
  answerApproach?: AnswerApproach | undefined
  /** Default `each`. */
  gradeMode?: GradeMode | undefined
  /** Grades asked per node, of which the mean counts; default 1. */
  gradeSamples?: number | undefined
}

/**
 * Level by level: expands every kept node, grades the children when there are more than the beam is wide, keeps the best.
 * A path ends at the depth or with TERMINATE; the answer is made when enough paths have ended.
 */
export function beam(options: BeamOptions = {}): Method {
  const settings = {
    beamSize: options.beamSize ?? 3,
    maxDepth: options.maxDepth ?? 4,
    answerApproach: options.answerApproach ?? 'pool',
    gradeMode: options.gradeMode ?? 'each',
    gradeSamples: options.gradeSamples ?? 1,
  } as const
  for (const key of ['beamSize', 'maxDepth', 'gradeSamples'] as const) {
    if (settings[key] >= 1) continue
    throw new XError('invalid-argument', `a beam search was given \`${key}: ${settings[key]}\`: give at least 1`)
  }
  return (task) => new Beam(task, settings)
}

/** Greedy descent, as the reference understands depth-first search: a beam of width 1. */
export const dfs = (options: Omit<BeamOptions, 'beamSize'> = {}): Method => beam({ ...options, beamSize: 1 })

type Settings = { readonly [K in keyof BeamOptions]-?: NonNullable<BeamOptions[K]> }

class Beam implements Strategy {
  readonly trees: readonly [Tree]
  readonly #task: Task
  readonly #settings: Settings
  readonly #open = new OpenJobs()
  readonly #finals: ThinkNode[] = []
  /** The nodes of this level that are being expanded. */
  #level: ThinkNode[] = []
  #unexpanded = 0
  /** Grades in by node, of this level. */
  readonly #grades = new Map<ThinkNode, (number | null)[]>()
  readonly #asked = new Set<ThinkNode>()
  #answering: ThinkNode[] | null = null
  #answer: Found | null = null

  constructor(task: Task, settings: Settings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    this.#descend([this.trees[0].root])
  }

  get answer(): Found | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#answering ? 0 : 1
  }

  ask(): readonly Job[] {
    return this.#open.list()
  }

  tell(job: Job, outcome: Outcome): void {
    if (!this.#open.close(job)) return
    if (job.kind === 'expand') this.#expanded(job.node, outcome)
    else if (job.kind === 'grade') this.#graded(job, outcome)
    else this.#answered(outcome)
  }

  best(): Found {
    if (this.#answer) return this.#answer
    const node = bestOf(this.#finals.length > 0 ? this.#finals : this.#leaves())
    return { text: null, node, verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#answering) return
    this.#open.drop()
    this.#finish()
  }

  #descend(nodes: ThinkNode[]): void {
    const [tree] = this.trees
    for (const node of nodes.filter((node) => isTerminal(node, this.#settings.maxDepth))) {
      tree.mark('final', node)
      this.#finals.push(node)
    }
    this.#level = nodes.filter((node) => !isTerminal(node, this.#settings.maxDepth))
    if (this.#finals.length >= this.#settings.beamSize || this.#level.length === 0) return this.#finish()
    this.#unexpanded = this.#level.length
    this.#level.forEach((node, i) =>
      this.#open.post({
        kind: 'expand',
        id: `expand:${node.id}`,
        place: [node.depth, 0, i],
        level: 2 * node.depth,
        sample: sampleOf(this.#task, 0),
        node,
        context: null,
        repair: null,
      }),
    )
  }

  #expanded(node: ThinkNode, outcome: Outcome): void {
    const [tree] = this.trees
    this.#unexpanded -= 1
    if (outcome.kind === 'expand') {
      node.reflection += outcome.reflection
      for (const option of outcome.options) {
        const child = tree.add(node, option.content)
        child.output = option.output ?? null
        if (option.grade !== undefined) tree.grade(child, option.grade, String(option.grade))
      }
    }
    tree.mark(outcome.kind === 'failed' ? 'failed' : 'expanded', node)
    if (this.#mustChoose()) this.#askGrades()
    this.#choose()
  }

  get #children(): ThinkNode[] {
    return this.#level.flatMap((node) => node.children)
  }

  /** More options can only come, so this is certain before the last expansion is in: grading need not wait for it. */
  #mustChoose(): boolean {
    return this.#children.length + this.#finals.length > this.#settings.beamSize
  }

  #askGrades(): void {
    const { gradeMode } = this.#settings
    this.#level.forEach((parent, i) => {
      const nodes = parent.children.filter((child) => !child.ratingDetails && !this.#asked.has(child))
      if (nodes.length === 0) return
      for (const node of nodes) this.#asked.add(node)
      if (gradeMode === 'per-parent') this.#askGrade(`children-of:${parent.id}`, nodes, [parent.depth, 1, i])
      else nodes.forEach((node, j) => this.#askGrade(node.id, [node], [parent.depth, 1, i, j]))
    })
  }

  #askGrade(name: string, nodes: ThinkNode[], place: Place): void {
    for (let k = 0; k < this.#settings.gradeSamples; k++) {
      this.#open.post({
        kind: 'grade',
        id: `grade:${name}${k === 0 ? '' : `#${k}`}`,
        place: [...place, k],
        level: 2 * place[0]! + 1,
        sample: sampleOf(this.#task, k),
        nodes,
        outcome: false,
        context: null,
        repair: null,
      })
    }
  }

  #graded(job: GradeJob, outcome: Outcome): void {
    const [tree] = this.trees
    const k = job.place.at(-1)!
    job.nodes.forEach((node, i) => {
      const grade = outcome.kind === 'grade' ? outcome.grades[i] : undefined
      const grades = this.#grades.get(node) ?? []
      grades[k] = grade?.value ?? null
      this.#grades.set(node, grades)
      const known = grades.filter((value) => typeof value === 'number')
      // The words of the first sample are shown, whatever the order in which the samples come in.
      const details = k === 0 ? (grade?.details ?? '') : node.ratingDetails
      tree.grade(node, known.length > 0 ? known.reduce((a, b) => a + b) / known.length : null, details)
    })
    this.#choose()
  }

  /** Goes one level down when everything this level needs is in. */
  #choose(): void {
    if (this.#unexpanded > 0 || this.#open.size > 0) return
    const children = this.#children
    if (!this.#mustChoose()) return this.#descend(children)
    // A grade that could not be read counts 0 here, and the first of equals stays.
    const ranked = children.toSorted((a, b) => (b.grade ?? 0) - (a.grade ?? 0))
    const kept = ranked.slice(0, this.#settings.beamSize - this.#finals.length)
    this.trees[0].mark('pruned', ...children.filter((child) => !kept.includes(child)))
    this.#descend(kept)
  }

  #leaves(): ThinkNode[] {
    return [...this.trees[0].root.walk()].filter((node) => node.children.length === 0)
  }

  #finish(): void {
    const paths = this.#finals.length > 0 ? this.#finals : [bestOf(this.#leaves())!]
    this.#answering = this.#settings.answerApproach === 'best' ? [bestOf(paths)!] : paths
    this.#open.post({
      kind: 'answer',
      // A search that was cut short asks from other paths than one that was not: its answer is another job.
      id: `answer:${this.#answering.map(({ id }) => id).join('+')}`,
      place: [this.#settings.maxDepth + 1],
      level: 2 * this.#settings.maxDepth,
      sample: sampleOf(this.#task, 0),
      from: this.#answering,
    })
  }

  #answered(outcome: Outcome): void {
    const node = this.#answering!.length === 1 ? this.#answering![0]! : bestOf(this.#answering!)
    const told = outcome.kind === 'answer'
    const verdict = told ? outcome.verdict : null
    this.#answer = { text: told ? outcome.text : null, node, verdict, accepted: told && (verdict?.accepted ?? true) }
  }
}
