import type { CallInput, MaybePromise, Run } from '@x/interfaces'
import { XError } from '@x/kernel'
import { ThinkNode, type NodeFate } from '../tree/think-node.ts'
import { nodesOf, type SearchJob } from './job.ts'

/**
 * A node of a tree as part of a request; see `ThinkNode` for the fields. `value` and `visits` are missing: they depend on the
 * order in which answers come, and a host knows a job that it has begun by its request.
 */
export interface RequestNode {
  readonly id: string
  /** Index of the parent among the earlier nodes of the request; null for a root. */
  readonly parent: number | null
  readonly content: string
  readonly reflection: string
  readonly ratingDetails: string
  readonly output: string | null
  readonly grade: number | null
  readonly isVerified: boolean | null
  readonly fate: NodeFate
}

/** A job of a search as plain JSON, with everything that `performJob` needs. */
export interface JobRequest {
  readonly kind: SearchJob['kind']
  /** Id of the job, the same in every run of the search. */
  readonly id: string
  readonly question: string
  /** Number that distinguishes equal questions. */
  readonly sample: number
  /** Name of the model to ask, for parts with several; null: the first. */
  readonly model: string | null
  /** The nodes of the job and the paths to them, parents before children, without other children. */
  readonly nodes: readonly RequestNode[]
  /** Indexes of the nodes of the job. */
  readonly about: readonly number[]
  /** True if the nodes to grade are finished answers. */
  readonly isOutcome: boolean
  /** Earlier attempts and their ratings as text, or null. */
  readonly context: string | null
  /** An earlier reply that could not be read, or null. */
  readonly repair: string | null
  /** Answers to merge. */
  readonly answers: readonly string[]
  /** The text of an answer from an earlier run, which only needs a verdict; null to perform the job. */
  readonly written: string | null
  /** Most options of a proposal. */
  readonly maxOptions: number
  /** Most characters of an option, a reflection or the words of a grader. */
  readonly maxOptionLength: number
}

/** The fields of a request that its job does not have. */
export type RequestTerms = Pick<JobRequest, 'question' | 'written' | 'maxOptions' | 'maxOptionLength'>

/** Converts a job to plain JSON. */
export function toRequest(job: SearchJob, terms: RequestTerms): JobRequest {
  const nodes: RequestNode[] = []
  const indexes = new Map<ThinkNode, number>()
  for (const node of nodesOf(job).flatMap(({ path }) => path)) {
    if (indexes.has(node)) continue
    indexes.set(node, nodes.length)
    const { id, content, reflection, ratingDetails, output, grade, isVerified, fate } = node
    const parent = node.parent ? indexes.get(node.parent)! : null
    nodes.push({ id, parent, content, reflection, ratingDetails, output, grade, isVerified, fate })
  }
  const asks = job.kind === 'expand' || job.kind === 'grade'
  return {
    kind: job.kind,
    id: job.id,
    sample: job.sample,
    model: job.model ?? null,
    ...terms,
    nodes,
    about: nodesOf(job).map((node) => indexes.get(node)!),
    isOutcome: job.kind === 'grade' && job.isOutcome,
    context: asks ? job.context : null,
    repair: asks ? job.repair : null,
    answers: job.kind === 'merge' ? job.answers : [],
  }
}

/** Returns what a job asks, as far as it is the same in whatever order the answers of a search come. */
export function askedIn(job: SearchJob): CallInput {
  const { kind, sample, model = null } = job
  const asked = { kind, sample, model, paths: nodesOf(job).map(({ path }) => path.map(({ content }) => content)) }
  if (job.kind === 'merge') return { ...asked, answers: job.answers }
  return job.kind === 'answer' ? asked : { ...asked, context: job.context, repair: job.repair }
}

/** Makes the job of a request, with new nodes; throws `invalid-argument` if the value is not a request. */
export function fromRequest(request: JobRequest): SearchJob {
  checkRequest(request)
  const { kind, id, sample, model, question, isOutcome, context, repair, answers } = request
  const base = { id, sample, position: [], level: 0, ...(model !== null && { model }) }
  if (kind === 'merge') return { ...base, kind, question, answers }
  const madeNodes: ThinkNode[] = []
  for (const { parent, id: name, content, ...fields } of request.nodes) {
    const node = new ThinkNode({ content, parent: parent === null ? null : madeNodes[parent]!, id: name })
    const { reflection, ratingDetails, output, grade, isVerified, fate } = fields
    const value = grade ?? 0
    madeNodes.push(Object.assign(node, { value, reflection, ratingDetails, output, grade, isVerified, fate }))
  }
  const nodes = request.about.map((index) => madeNodes[index]!)
  if (kind === 'answer') return { ...base, kind, from: nodes }
  if (kind === 'grade') return { ...base, kind, nodes, isOutcome, context, repair }
  return { ...base, kind, node: nodes[0]!, context, repair }
}

const JOB_KINDS: readonly unknown[] = ['expand', 'grade', 'answer', 'merge'] satisfies SearchJob['kind'][]

function checkRequest(request: JobRequest): void {
  const problem = problemIn(request)
  if (problem === null) return
  throw new XError(
    'invalid-argument',
    `cannot perform a job of a search: ${problem}; pass the request on unchanged, as \`perform\` of the search received it`,
  )
}

function problemIn(request: JobRequest): string | null {
  if (typeof request !== 'object' || request === null) return 'the request is not an object'
  const { kind, id, question, sample, model, nodes, about, isOutcome, context, repair, answers, written } = request
  if (!JOB_KINDS.includes(kind)) return '`kind` is not the kind of a job'
  if (typeof id !== 'string' || typeof question !== 'string') return '`id` or `question` is not a text'
  if (!Number.isFinite(sample)) return '`sample` is not a number'
  if (![model, context, repair, written].every(isTextOrNull))
    return '`model`, `context`, `repair` or `written` is neither a text nor null'
  if (typeof isOutcome !== 'boolean') return '`isOutcome` is neither true nor false'
  if (!Array.isArray(answers) || answers.some((answer) => typeof answer !== 'string'))
    return '`answers` is not a list of texts'
  if (![request.maxOptions, request.maxOptionLength].every((bound) => bound >= 1))
    return '`maxOptions` or `maxOptionLength` is not a number of at least 1'
  if (!Array.isArray(nodes) || !nodes.every(isNode)) return 'one of the `nodes` is not a node'
  if (!Array.isArray(about) || about.some((index) => !isIndex(index, nodes.length)))
    return '`about` is not a list of indexes of `nodes`'
  if (kind === 'merge') return answers.length > 0 ? null : 'a merge needs `answers`'
  return about.length > 0 && (kind !== 'expand' || about.length === 1) ? null : '`about` has a wrong number of nodes'
}

function isNode(node: RequestNode, index: number): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { id, parent, content, reflection, ratingDetails, output, grade, isVerified, fate } = node
  return (
    [id, content, reflection, ratingDetails, fate].every((text) => typeof text === 'string') &&
    isTextOrNull(output) &&
    (grade === null || Number.isFinite(grade)) &&
    (isVerified === null || typeof isVerified === 'boolean') &&
    (parent === null || isIndex(parent, index))
  )
}

const isIndex = (index: unknown, length: number): boolean =>
  Number.isInteger(index) && (index as number) >= 0 && (index as number) < length

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'

/**
 * Performs a job of a search elsewhere, such as in a worker of a queue: returns what `performJob` returns there. The run's
 * signal fires when the job is no longer needed. A rejected promise fails the job, not the search.
 */
export type PerformJob = (job: SearchJob, request: JobRequest, run: Run) => MaybePromise<unknown>
