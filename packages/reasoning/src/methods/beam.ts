import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { AnswerApproach } from '@x/interfaces'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { GradeJob, SearchJob, JobOutcome, JobPosition } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type Strategy, type SearchTask } from '../strategy/strategy.ts'
import { BestLeaf } from '../tree/best-leaf.ts'
import { bestOf, isTerminal } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'

/** The way siblings are graded: one call per node (`each`), or one call for all children of a parent (`per-parent`). */
export type GradeMode = 'each' | 'per-parent'

/** Options of a beam search. */
export interface BeamOptions {
  /** Nodes kept per level; default 3. */
  beamSize?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Writes the answer from all finished paths (`pool`) or from the best one (`best`); default `pool`. */
  answerApproach?: AnswerApproach | undefined
  /** The way siblings are graded; default `each`. */
  gradeMode?: GradeMode | undefined
  /** Number of grades per node; their mean counts. Default 1. */
  gradeSamples?: number | undefined
}

/** Kinds of the options of a beam search. */
export const BEAM_KINDS: OptionKinds<BeamOptions> = {
  beamSize: kind.whole(1),
  maxDepth: kind.limit(1),
  answerApproach: kind.oneOf('pool', 'best'),
  gradeMode: kind.oneOf('each', 'per-parent'),
  gradeSamples: kind.whole(1),
}

/**
 * Beam search, level by level: expands every kept node, grades the children when there are more than `beamSize`, keeps the
 * best. A path ends at `maxDepth` or with TERMINATE; the answer is made when `beamSize` paths have ended.
 */
export function beam(options: BeamOptions = {}): Method {
  checkOptions(options, BEAM_KINDS, 'make a beam search')
  const settings = {
    beamSize: options.beamSize ?? 3,
    maxDepth: options.maxDepth ?? 4,
    answerApproach: options.answerApproach ?? 'pool',
    gradeMode: options.gradeMode ?? 'each',
    gradeSamples: options.gradeSamples ?? 1,
  } as const
  return withFingerprint((task: SearchTask) => new Beam(task, settings), 'beam', settings)
}

const { beamSize: _, ...kindsWithoutBeamSize } = BEAM_KINDS
/** Kinds of the options of a greedy descent. */
export const DFS_KINDS: OptionKinds<Omit<BeamOptions, 'beamSize'>> = kindsWithoutBeamSize

/** Greedy descent, a beam of width 1: the `dfs` of AG2, which never turns back; `depthFirst` does. */
export function dfs(options: Omit<BeamOptions, 'beamSize'> = {}): Method {
  checkOptions(options, DFS_KINDS, 'make a greedy descent')
  return beam({ ...options, beamSize: 1 })
}

type BeamSettings = { readonly [K in keyof BeamOptions]-?: NonNullable<BeamOptions[K]> }

class Beam implements Strategy {
  readonly trees: readonly [Tree]
  readonly #task: SearchTask
  readonly #settings: BeamSettings
  readonly jobs = new OpenJobs()
  readonly #leaves: BestLeaf
  readonly #finals: ThinkNode[] = []
  #bestFinal: ThinkNode | null = null
  /** The nodes of this level that are being expanded. */
  #level: ThinkNode[] = []
  /** The index of a node in its level. */
  readonly #indexes = new Map<ThinkNode, number>()
  #unexpanded = 0
  /** Number of children of this level so far. */
  #childCount = 0
  /** The grades received so far for the nodes of this level. */
  readonly #grades = new Map<ThinkNode, (number | null)[]>()
  #isGrading = false
  #answering: ThinkNode[] | null = null
  #answer: Candidate | null = null

  constructor(task: SearchTask, settings: BeamSettings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    this.#leaves = new BestLeaf(this.trees[0].root)
    this.#descend([this.trees[0].root])
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#answering ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.jobs.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.jobs.close(job)) return
    if (job.kind === 'expand') this.#takeOptions(job.node, outcome)
    else if (job.kind === 'grade') this.#takeGrades(job, outcome)
    else this.#takeAnswer(outcome)
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    const node = this.#bestFinal ?? this.#leaves.node
    return { text: null, node, verdict: null, accepted: false }
  }

  conclude(): void {
    if (this.#answering) return
    this.jobs.drop()
    this.#finish()
  }

  #descend(nodes: ThinkNode[]): void {
    const [tree] = this.trees
    for (const node of nodes.filter((node) => isTerminal(node, this.#settings.maxDepth))) {
      tree.mark('final', node)
      this.#finals.push(node)
      this.#bestFinal = bestOf(this.#bestFinal ? [this.#bestFinal, node] : [node])
    }
    this.#level = nodes.filter((node) => !isTerminal(node, this.#settings.maxDepth))
    if (this.#finals.length >= this.#settings.beamSize || this.#level.length === 0) return this.#finish()
    this.#unexpanded = this.#level.length
    this.#childCount = 0
    this.#isGrading = false
    this.#grades.clear()
    this.#indexes.clear()
    this.#level.forEach((node, i) => {
      this.#indexes.set(node, i)
      this.jobs.post({
        kind: 'expand',
        id: `expand:${node.id}`,
        position: [node.depth, 0, i],
        level: 2 * node.depth,
        sample: sampleOf(this.#task, 0),
        node,
        context: null,
        repair: null,
      })
    })
  }

  #takeOptions(node: ThinkNode, outcome: JobOutcome): void {
    const [tree] = this.trees
    this.#unexpanded -= 1
    if (outcome.kind === 'expand') {
      node.reflection += outcome.reflection
      for (const option of outcome.options) {
        const child = tree.add(node, option.content)
        child.output = option.output ?? null
        if (option.grade !== undefined) tree.grade(child, option.grade, String(option.grade))
        this.#leaves.note(child)
      }
      this.#childCount += outcome.options.length
    }
    tree.mark(outcome.kind === 'failed' ? 'failed' : 'expanded', node)
    if (this.#mustChoose()) this.#requestGrades(node)
    this.#choose()
  }

  get #children(): ThinkNode[] {
    return this.#level.flatMap((node) => node.children)
  }

  /** True if there are more children than the beam keeps. Options are only added, so grading need not wait for the last expansion. */
  #mustChoose(): boolean {
    return this.#childCount + this.#finals.length > this.#settings.beamSize
  }

  /** Requests the grades of the new children, and at first those of all children of the level. */
  #requestGrades(expanded: ThinkNode): void {
    for (const parent of this.#isGrading ? [expanded] : this.#level) {
      const nodes = parent.children.filter((child) => !child.ratingDetails)
      const i = this.#indexes.get(parent)!
      if (nodes.length === 0) continue
      if (this.#settings.gradeMode === 'each')
        nodes.forEach((node, j) => this.#requestGrade(node.id, [node], [parent.depth, 1, i, j]))
      else this.#requestGrade(`children-of:${parent.id}`, nodes, [parent.depth, 1, i])
    }
    this.#isGrading = true
  }

  #requestGrade(name: string, nodes: ThinkNode[], position: JobPosition): void {
    for (let k = 0; k < this.#settings.gradeSamples; k++) {
      this.jobs.post({
        kind: 'grade',
        id: `grade:${name}${k === 0 ? '' : `#${k}`}`,
        position: [...position, k],
        level: 2 * position[0]! + 1,
        sample: sampleOf(this.#task, k),
        nodes,
        isOutcome: false,
        context: null,
        repair: null,
      })
    }
  }

  #takeGrades(job: GradeJob, outcome: JobOutcome): void {
    const [tree] = this.trees
    const k = job.position.at(-1)!
    job.nodes.forEach((node, i) => {
      const grade = outcome.kind === 'grade' ? outcome.grades[i] : undefined
      const grades = this.#grades.get(node) ?? []
      grades[k] = grade?.value ?? null
      this.#grades.set(node, grades)
      const known = grades.filter((value) => typeof value === 'number')
      // The node shows the reply of the first sample, whatever the order in which the samples arrive.
      const details = k === 0 ? (grade?.details ?? '') : node.ratingDetails
      tree.grade(node, known.length > 0 ? known.reduce((a, b) => a + b) / known.length : null, details)
      this.#leaves.note(node)
    })
    this.#choose()
  }

  /** Goes one level down once all jobs of this level have finished. */
  #choose(): void {
    if (this.#unexpanded > 0 || this.jobs.size > 0) return
    const children = this.#children
    if (!this.#mustChoose()) return this.#descend(children)
    // An unreadable grade counts as 0 here, and the first of equals stays.
    const ranked = children.toSorted((a, b) => (b.grade ?? 0) - (a.grade ?? 0))
    const beam = ranked.slice(0, this.#settings.beamSize - this.#finals.length)
    const kept = new Set(beam)
    for (const child of children) if (!kept.has(child)) this.trees[0].mark('pruned', child)
    this.#descend(beam)
  }

  #finish(): void {
    const paths = this.#finals.length > 0 ? this.#finals : [this.#leaves.node!]
    this.#answering = this.#settings.answerApproach === 'best' ? [bestOf(paths)!] : paths
    this.jobs.post({
      kind: 'answer',
      // A search that ends early answers from other paths than a complete one: its answer is another job.
      id: `answer:${this.#answering.map(({ id }) => id).join('+')}`,
      position: [this.#settings.maxDepth + 1],
      level: 2 * this.#settings.maxDepth,
      sample: sampleOf(this.#task, 0),
      from: this.#answering,
    })
  }

  #takeAnswer(outcome: JobOutcome): void {
    const node = this.#answering!.length === 1 ? this.#answering![0]! : bestOf(this.#answering!)
    const isWritten = outcome.kind === 'answer'
    const verdict = isWritten ? outcome.verdict : null
    this.#answer = {
      text: isWritten ? outcome.text : null,
      node,
      verdict,
      accepted: isWritten && (verdict?.accepted ?? true),
    }
  }
}
