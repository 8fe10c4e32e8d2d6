import { saysTerminate } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import {
  comparePositions,
  type AnswerJob,
  type ExpandJob,
  type GradeJob,
  type JobPosition,
  type MergeJob,
  type SearchJob,
} from './job.ts'
import { hash } from './random.ts'
import { sampleOf, type SearchTask } from './strategy.ts'

/** Settings of a job; all have defaults. */
export interface JobSettings {
  /** Repetition of a question, counted from 0; default: the number of times it was asked before. */
  repetition?: number | undefined
  /** Position in the serial order; default: after all jobs so far. */
  position?: JobPosition | undefined
  /** Level of the job; default: by the depth of the nodes. */
  level?: number | undefined
  /** Name of the model to ask, for parts with several. */
  model?: string | undefined
  /** Earlier attempts and their ratings as text; for jobs that expand or grade. */
  context?: string | null | undefined
}

/**
 * The open jobs of a strategy, which have no outcome yet. `expand`, `grade`, `answer` and `merge` make a job and add it;
 * equal jobs get different ids and samples.
 */
export class OpenJobs {
  readonly #task: Pick<SearchTask, 'id' | 'question' | 'sample' | 'stride'>
  /** Number of times that each question was asked. */
  readonly #timesAsked = new Map<string, number>()
  #jobCount = 0
  readonly #jobs = new Set<SearchJob>()
  /** The jobs added since the last `takePosted`. */
  #posted: SearchJob[] = []
  /** The last sorted list, including jobs that were closed since. */
  #sorted: SearchJob[] = []
  /** The jobs added since the last sorted list. */
  #unsorted: SearchJob[] = []
  #isSorted = true

  constructor(task: Pick<SearchTask, 'id' | 'question' | 'sample' | 'stride'> = DEFAULT_TASK) {
    this.#task = task
  }

  /** Asks for options for the step after a node. */
  expand(node: ThinkNode, settings: JobSettings = {}): ExpandJob {
    const base = this.#base('expand', [node], 2 * node.depth, settings)
    return this.#add({ ...base, kind: 'expand', node, context: settings.context ?? null, repair: null })
  }

  /** Asks for the grades of a node, or of several children of one parent in one call. */
  grade(nodes: ThinkNode | readonly ThinkNode[], settings: JobSettings & { isOutcome?: boolean } = {}): GradeJob {
    const list = Array.isArray(nodes) ? (nodes as readonly ThinkNode[]) : [nodes as ThinkNode]
    const base = this.#base('grade', list, 2 * depthOf(list) - 1, settings)
    const { isOutcome = list.every((node) => node.fate === 'answer' || saysTerminate(node)), context = null } = settings
    return this.#add({ ...base, kind: 'grade', nodes: list, isOutcome, context, repair: null })
  }

  /** Asks for an answer from the path to a node, or from several paths. */
  answer(from: ThinkNode | readonly ThinkNode[], settings: JobSettings = {}): AnswerJob {
    const list = Array.isArray(from) ? (from as readonly ThinkNode[]) : [from as ThinkNode]
    return this.#add({ ...this.#base('answer', list, 2 * depthOf(list), settings), kind: 'answer', from: list })
  }

  /** Asks to merge several answers into one. */
  merge(answers: readonly string[], settings: JobSettings = {}): MergeJob {
    const { id, question } = this.#task
    const name = `${id}merge:${hash(JSON.stringify(answers)).toString(36)}`
    return this.#add({ ...this.#withName(name, Number.MAX_VALUE, settings), kind: 'merge', question, answers })
  }

  #base(kind: SearchJob['kind'], nodes: readonly ThinkNode[], level: number, settings: JobSettings): JobBase {
    return this.#withName(`${kind}:${nodes.map(({ id }) => id).join('+')}`, level, settings)
  }

  #withName(name: string, usualLevel: number, settings: JobSettings): JobBase {
    const before = this.#timesAsked.get(name) ?? 0
    const { repetition = before, position = [this.#jobCount], level = usualLevel, model } = settings
    this.#jobCount += 1
    this.#timesAsked.set(name, Math.max(before, repetition + 1))
    const id = repetition === 0 ? name : `${name}#${repetition}`
    return { id, position, level, sample: sampleOf(this.#task, repetition), ...(model !== undefined && { model }) }
  }

  #add<J extends SearchJob>(job: J): J {
    this.post(job)
    return job
  }

  /** Number of open jobs. */
  get size(): number {
    return this.#jobs.size
  }

  /** Adds a job. */
  post(job: SearchJob): void {
    this.#jobs.add(job)
    this.#posted.push(job)
    this.#unsorted.push(job)
    this.#isSorted = false
  }

  /** True if this very job is open. */
  has(job: SearchJob): boolean {
    return this.#jobs.has(job)
  }

  /** Removes a job; returns false if it is not open, because it has an outcome or was dropped. */
  close(job: SearchJob): boolean {
    const wasOpen = this.#jobs.delete(job)
    if (wasOpen) this.#isSorted = false
    return wasOpen
  }

  /** Drops all jobs, or those that pass a test. */
  drop(test: (job: SearchJob) => boolean = () => true): void {
    for (const job of this.#jobs) if (test(job)) this.#jobs.delete(job)
    this.#isSorted = false
  }

  /** Lists all open jobs in the serial order. */
  list(): readonly SearchJob[] {
    if (this.#isSorted) return this.#sorted
    this.#isSorted = true
    const jobs = this.#sorted.filter((job) => this.has(job))
    if (this.#unsorted.length > 0) {
      jobs.push(...new Set(this.#unsorted.filter((job) => this.has(job))))
      jobs.sort((a, b) => comparePositions(a.position, b.position))
      this.#unsorted = []
    }
    return (this.#sorted = jobs)
  }

  /** Returns the jobs that were added since the last call; some may be closed again. */
  takePosted(): readonly SearchJob[] {
    if (this.#posted.length === 0) return this.#posted
    const posted = this.#posted
    this.#posted = []
    return posted
  }
}

type JobBase = Pick<SearchJob, 'id' | 'position' | 'level' | 'sample' | 'model'>

const DEFAULT_TASK = { id: '', question: '', sample: 0, stride: 1 }

const depthOf = (nodes: readonly ThinkNode[]): number => Math.max(0, ...nodes.map(({ depth }) => depth))
