import type { SearchBeliefs } from '@x/interfaces'
import { XError } from '@x/kernel'
import { estimate, isTerminal } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { toGrade, Tree } from '../tree/tree.ts'
import type { AnswerVerdict, JobOutcome, SearchJob } from './job.ts'
import type { JobSettings, OpenJobs } from './open-jobs.ts'
import type { Candidate, SearchTask } from './strategy.ts'

/** Steps of a method: each `yield` asks the jobs of a wave and receives their outcomes, in the same order. */
export type Wave<T> = Generator<readonly SearchJob[], T, readonly JobOutcome[]>

/** Settings of the jobs of a wave. */
export type WaveSettings = Pick<JobSettings, 'context' | 'model'>

/** The outcome of a job that was dropped because the search had to end. */
export const NOT_ASKED: JobOutcome = { kind: 'failed', code: 'budget-exceeded', message: 'the search had to end' }

/** The operations of a method made by `searchMethod`: they ask jobs, and maintain the tree and the best answer. */
export class SearchContext {
  readonly task: SearchTask
  readonly trees: readonly [Tree]
  readonly #jobs: OpenJobs
  readonly #note: (leaf: ThinkNode) => void
  /** The options of each node by their text. */
  readonly #options = new Map<ThinkNode, Map<string, ThinkNode>>()
  /** Number of replies that proposed each option. */
  readonly #proposals = new Map<ThinkNode, number>()
  #beliefs: (() => SearchBeliefs) | null = null
  readonly #verdicts = new Map<ThinkNode, AnswerVerdict | null>()
  #best: ThinkNode | null = null
  #preferred: ThinkNode | null = null
  #preferredStep: ThinkNode | null = null

  constructor(task: SearchTask, jobs: OpenJobs, note: (leaf: ThinkNode) => void) {
    this.task = task
    this.#jobs = jobs
    this.#note = note
    this.trees = [new Tree({ question: task.question, id: task.id })]
  }

  /** The question. */
  get root(): ThinkNode {
    return this.tree.root
  }

  get tree(): Tree {
    return this.trees[0]
  }

  /**
   * The leaf of the best answer so far: the one that the verifier accepted, else the one that the method prefers, else the
   * one with the best grade; null before the first answer.
   */
  get best(): ThinkNode | null {
    return this.#best && this.isVerified(this.#best) ? this.#best : (this.#preferred ?? this.#best)
  }

  /** The step from which an answer is written if the search has to end now; null if the best answer counts then. */
  get nextAnswerFrom(): ThinkNode | null {
    return this.#best && this.isVerified(this.#best) ? null : this.#preferredStep
  }

  /**
   * Makes an answer the best so far, unless the verifier accepted another. With a step, an answer is written from it if the
   * search has to end before the next call of `prefer`.
   */
  prefer(node: ThinkNode): void {
    checkNodes([node], 'prefer')
    const isAnswer = this.isAnswer(node)
    this.#preferredStep = isAnswer ? null : node
    if (isAnswer) this.#preferred = node
  }

  /** The beliefs of the method, as `believe` told them; null without. */
  get beliefs(): SearchBeliefs | null {
    return this.#beliefs?.() ?? null
  }

  /** Tells how to get the beliefs for the result of the search; the function is called at its end. */
  believe(beliefs: () => SearchBeliefs): void {
    this.#beliefs = beliefs
  }

  /** True if a node is an answer, false if it is a step. */
  isAnswer(node: ThinkNode): boolean {
    return this.#verdicts.has(node)
  }

  /** Number of replies that proposed an option. */
  timesProposed(option: ThinkNode): number {
    return this.#proposals.get(option) ?? 0
  }

  /** True if the verifier accepted an answer. */
  isVerified(answer: ThinkNode): boolean {
    return this.#verdicts.get(answer)?.accepted ?? false
  }

  /** Makes the candidate of an answer. */
  candidateOf(answer: ThinkNode): Candidate {
    const verdict = this.#verdicts.get(answer) ?? null
    return { text: answer.content, node: answer, verdict, accepted: verdict?.accepted ?? true }
  }

  /** True if a path ends at a node: at this depth, or because the node says TERMINATE. */
  isEnd(node: ThinkNode, maxDepth: number): boolean {
    return isTerminal(node, maxDepth)
  }

  /** Returns a random number in [0, 1) for a name, the same in every run of the search. */
  random(name: string): number {
    return this.task.random(`${this.task.id}${name}`)
  }

  /** Asks for options after each node; returns the new children of each node, without those that it already had. */
  *expand(nodes: readonly ThinkNode[], settings: WaveSettings = {}): Wave<ThinkNode[][]> {
    checkNodes(nodes, 'expand')
    const outcomes = yield nodes.map((node) => this.#jobs.expand(node, settings))
    return outcomes.map((outcome, i) => this.#grow(nodes[i]!, outcome))
  }

  /** Asks for the grade of each node, one call for each; returns the grades, null for a missing one. */
  *grade(nodes: readonly ThinkNode[], settings: WaveSettings = {}): Wave<(number | null)[]> {
    checkNodes(nodes, 'grade')
    const ungraded = nodes.filter((node) => node.ratingDetails === '')
    const outcomes = yield ungraded.map((node) => this.#jobs.grade(node, settings))
    outcomes.forEach((outcome, i) => this.#takeGrades([ungraded[i]!], outcome))
    return nodes.map(({ grade }) => grade)
  }

  /** Asks for the grades of several nodes in one call, such as all children of a node; returns the grades, null for a missing one. */
  *gradeTogether(nodes: readonly ThinkNode[], settings: WaveSettings = {}): Wave<(number | null)[]> {
    checkNodes(nodes, 'gradeTogether')
    const ungraded = nodes.filter((node) => node.ratingDetails === '')
    const [outcome] = yield ungraded.length > 0 ? [this.#jobs.grade(ungraded, settings)] : []
    if (outcome) this.#takeGrades(ungraded, outcome)
    return nodes.map(({ grade }) => grade)
  }

  /** Asks again for the grades of nodes, one call for each; returns the new grades, null for a missing one. A node keeps its first. */
  *gradeAgain(nodes: readonly ThinkNode[], settings: WaveSettings = {}): Wave<(number | null)[]> {
    checkNodes(nodes, 'gradeAgain')
    const outcomes = yield nodes.map((node) => this.#jobs.grade(node, settings))
    return outcomes.map((outcome) =>
      outcome.kind === 'grade' ? toGrade(outcome.grades[0]?.value ?? Number.NaN) : null,
    )
  }

  /** Asks for one answer from several paths, which may be that of the best of them; returns its leaf, null for a failed call. */
  *answerTogether(nodes: readonly ThinkNode[], settings: WaveSettings = {}): Wave<ThinkNode | null> {
    checkNodes(nodes, 'answerTogether')
    const job = this.#jobs.answer(nodes, settings)
    const [outcome] = yield [job]
    return outcome ? this.takeAnswer(job, outcome) : null
  }

  /** Asks for an answer from each node; returns a leaf for each answer, null for a failed call. */
  *answer(nodes: readonly ThinkNode[], settings: WaveSettings = {}): Wave<(ThinkNode | null)[]> {
    checkNodes(nodes, 'answer')
    const jobs = nodes.map((node) => this.#jobs.answer(node, settings))
    const outcomes = yield jobs
    return outcomes.map((outcome, i) => this.takeAnswer(jobs[i]!, outcome))
  }

  /** Asks for a review of each path, as a proposer writes it before its options; an empty text if there is none. */
  *reflect(nodes: readonly ThinkNode[], settings: WaveSettings = {}): Wave<string[]> {
    checkNodes(nodes, 'reflect')
    const outcomes = yield nodes.map((node) => this.#jobs.expand(node, settings))
    return outcomes.map((outcome) => (outcome.kind === 'expand' ? outcome.reflection || outcome.text : ''))
  }

  /** Runs several parts side by side: the jobs that they ask at the same time become one wave. */
  *together<T>(parts: readonly Wave<T>[]): Wave<T[]> {
    const results: T[] = []
    let open = parts.map((part, i) => ({ part, i, outcomes: [] as readonly JobOutcome[] }))
    for (;;) {
      const waiting = open.flatMap(({ part, i, outcomes }) => {
        const next = part.next(outcomes)
        if (!next.done) return [{ part, i, jobs: next.value }]
        results[i] = next.value
        return []
      })
      if (waiting.length === 0) return results
      const outcomes = yield waiting.flatMap(({ jobs }) => jobs)
      let at = 0
      open = waiting.map(({ part, i, jobs }) => ({ part, i, outcomes: outcomes.slice(at, (at += jobs.length)) }))
    }
  }

  /** Adds the outcome of a job that asked for an answer to the tree; returns its leaf. */
  takeAnswer(job: SearchJob, outcome: JobOutcome): ThinkNode | null {
    if (job.kind !== 'answer' || outcome.kind !== 'answer') return null
    const { tree } = this
    const [first] = job.from as readonly [ThinkNode]
    const isOfOne = job.from.length === 1
    if (isOfOne && first.parent) tree.mark('final', first)
    // An answer from several paths belongs to none of them.
    const from = isOfOne ? first : tree.root
    const node = tree.add(from, outcome.text, `${job.from.map(({ id }) => id).join('+')}@${job.sample}`)
    tree.mark('answer', node)
    const { verdict } = outcome
    this.#verdicts.set(node, verdict)
    if (verdict) tree.verify(node, verdict)
    this.#consider(node)
    return node
  }

  #grow(node: ThinkNode, outcome: JobOutcome): ThinkNode[] {
    const { tree } = this
    if (outcome.kind !== 'expand') {
      if (node.children.length === 0 && outcome !== NOT_ASKED) tree.mark('failed', node)
      return []
    }
    if (!node.reflection) node.reflection = outcome.reflection
    const known = this.#options.get(node) ?? new Map<string, ThinkNode>()
    this.#options.set(node, known)
    const fresh: ThinkNode[] = []
    const inThisReply = new Set<string>()
    for (const option of outcome.options) {
      const text = option.content.trim()
      if (inThisReply.has(text)) continue
      inThisReply.add(text)
      const earlier = known.get(text)
      if (earlier) {
        this.#proposals.set(earlier, this.timesProposed(earlier) + 1)
        continue
      }
      const child = tree.add(node, option.content)
      known.set(text, child)
      this.#proposals.set(child, 1)
      child.output = option.output ?? null
      if (option.grade !== undefined) tree.grade(child, option.grade, String(option.grade))
      this.#note(child)
      fresh.push(child)
    }
    tree.mark('expanded', node)
    return fresh
  }

  #takeGrades(nodes: readonly ThinkNode[], outcome: JobOutcome): void {
    if (outcome.kind !== 'grade') return
    nodes.forEach((node, i) => {
      const grade = outcome.grades[i]
      if (!grade) return
      this.tree.grade(node, grade.value, grade.details)
      if (this.#verdicts.has(node)) this.#consider(node)
      else this.#note(node)
    })
  }

  #consider(answer: ThinkNode): void {
    if (!this.#best || this.#rank(answer) > this.#rank(this.#best)) this.#best = answer
  }

  /** Ranks an answer: accepted ones first, then by grade; an answer without a grade has the estimate of its path. */
  #rank(answer: ThinkNode): number {
    return (this.isVerified(answer) ? 2 : 0) + (estimate(answer) ?? 0)
  }
}

/** True if a value is a node, also one of another copy of this package. */
export const isNode = (value: unknown): value is ThinkNode =>
  typeof value === 'object' && value !== null && 'trajectory' in value && 'depth' in value

const wrongNodes = (operation: string, given: string, expected: string): XError =>
  new XError('invalid-argument', `cannot run \`${operation}\` of a search with ${given}: give ${expected}`)

function checkNodes(nodes: readonly ThinkNode[], operation: string): void {
  const expected = 'a list of nodes, such as `[search.root]`'
  if (!Array.isArray(nodes))
    throw wrongNodes(operation, isNode(nodes) ? 'a node' : 'a value that is not a list', expected)
  const broken = nodes.findIndex((node) => !isNode(node))
  if (broken >= 0) throw wrongNodes(operation, `a list whose entry ${broken} is not a node`, expected)
}
