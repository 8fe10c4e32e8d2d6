import { XError } from '@x/kernel'
import { ThinkNode, type NodeFate } from '../tree/think-node.ts'
import { nodesOf, type SearchJob } from './job.ts'

/** A node of a tree as a request has it; see `ThinkNode` for the fields. */
export interface RequestNode {
  readonly id: string
  /** Index of the parent among the nodes of the request, which stands before it; null for a root. */
  readonly parent: number | null
  readonly content: string
  readonly value: number
  readonly visits: number
  readonly reflection: string
  readonly ratingDetails: string
  readonly output: string | null
  readonly grade: number | null
  readonly isVerified: boolean | null
  readonly fate: NodeFate
}

/** A job of a search as plain JSON, with everything that is needed to perform it: `performJob` does. */
export interface JobRequest {
  readonly kind: SearchJob['kind']
  /** Identifier of the job, the same in every run of the search. */
  readonly id: string
  readonly question: string
  /** Number that tells equal questions apart. */
  readonly sample: number
  /** Name of the model to ask, for parts that know several; null: the first. */
  readonly model: string | null
  /** The nodes that the job is about and those on the paths to them: parents before their children, no other children. */
  readonly nodes: readonly RequestNode[]
  /** Indexes of the nodes that the job is about. */
  readonly about: readonly number[]
  /** Whether nodes to grade are finished answers. */
  readonly isOutcome: boolean
  /** Earlier attempts and their ratings as text, or null. */
  readonly context: string | null
  /** An earlier reply that could not be read, or null. */
  readonly repair: string | null
  /** Answers to merge. */
  readonly answers: readonly string[]
  /** The text of an answer that an earlier run wrote, of which only the verdict is wanted; null: the job is to be done. */
  readonly written: string | null
  /** Bounds of what comes back: most options of a proposal, and most characters of a text. */
  readonly maxOptions: number
  readonly maxOptionLength: number
}

/** What a request says beside its job. */
export type RequestTerms = Pick<JobRequest, 'question' | 'written' | 'maxOptions' | 'maxOptionLength'>

/** Writes a job as plain JSON. */
export function toRequest(job: SearchJob, terms: RequestTerms): JobRequest {
  const nodes: RequestNode[] = []
  const indexes = new Map<ThinkNode, number>()
  for (const each of nodesOf(job).flatMap((node) => node.path)) {
    if (indexes.has(each)) continue
    indexes.set(each, nodes.length)
    const { id, content, value, visits, reflection, ratingDetails, output, grade, isVerified, fate } = each
    const parent = each.parent ? indexes.get(each.parent)! : null
    nodes.push({ id, parent, content, value, visits, reflection, ratingDetails, output, grade, isVerified, fate })
  }
  const asks = job.kind === 'expand' || job.kind === 'grade'
  return {
    ...{ kind: job.kind, id: job.id, sample: job.sample, model: job.model ?? null, ...terms },
    nodes,
    about: nodesOf(job).map((node) => indexes.get(node)!),
    isOutcome: job.kind === 'grade' && job.isOutcome,
    context: asks ? job.context : null,
    repair: asks ? job.repair : null,
    answers: job.kind === 'merge' ? job.answers : [],
  }
}

/** Makes the job of a request, with nodes of its own; fails with `invalid-argument` for what is not a request. */
export function fromRequest(request: JobRequest): SearchJob {
  checkRequest(request)
  const { kind, id, sample, model, question, isOutcome, context, repair, answers } = request
  const base = { id, sample, position: [], level: 0, ...(model !== null && { model }) }
  if (kind === 'merge') return { ...base, kind, question, answers }
  const made: ThinkNode[] = []
  for (const { parent, id: name, content, ...fields } of request.nodes) {
    const node = new ThinkNode({ content, parent: parent === null ? null : made[parent]!, id: name })
    const { value, visits, reflection, ratingDetails, output, grade, isVerified, fate } = fields
    made.push(Object.assign(node, { value, visits, reflection, ratingDetails, output, grade, isVerified, fate }))
  }
  const nodes = request.about.map((index) => made[index]!)
  if (kind === 'answer') return { ...base, kind, from: nodes }
  if (kind === 'grade') return { ...base, kind, nodes, isOutcome, context, repair }
  return { ...base, kind, node: nodes[0]!, context, repair }
}

const KINDS: readonly unknown[] = ['expand', 'grade', 'answer', 'merge'] satisfies SearchJob['kind'][]

function checkRequest(request: JobRequest): void {
  const problem = problemIn(request)
  if (problem === null) return
  throw new XError(
    'invalid-argument',
    `cannot perform a job of a search: ${problem}; pass the request on as \`perform\` of the search was given it`,
  )
}

function problemIn(request: JobRequest): string | null {
  if (typeof request !== 'object' || request === null) return 'its request is not an object'
  const { kind, id, question, sample, model, nodes, about, isOutcome, context, repair, answers, written } = request
  if (!KINDS.includes(kind)) return '`kind` is not that of a job'
  if (typeof id !== 'string' || typeof question !== 'string') return '`id` and `question` have to be texts'
  if (!Number.isFinite(sample)) return '`sample` is not a number'
  if (![model, context, repair, written].every(isTextOrNull)) return 'one of its texts is not a text'
  if (typeof isOutcome !== 'boolean') return '`isOutcome` is not true or false'
  if (!Array.isArray(answers) || answers.some((answer) => typeof answer !== 'string')) return '`answers` are not texts'
  if (![request.maxOptions, request.maxOptionLength].every((bound) => bound >= 1)) return 'a bound is not a number'
  if (!Array.isArray(nodes) || !nodes.every(isNode)) return 'one of its `nodes` is not a node'
  if (!Array.isArray(about) || about.some((index) => !isIndex(index, nodes.length))) return '`about` names no node'
  if (kind === 'merge') return answers.length > 0 ? null : 'it has no `answers` to merge'
  return about.length > 0 && (kind !== 'expand' || about.length === 1) ? null : 'it has a wrong number of nodes'
}

function isNode(node: RequestNode, index: number): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { id, parent, content, value, visits, reflection, ratingDetails, output, grade, isVerified, fate } = node
  return (
    [id, content, reflection, ratingDetails, fate].every((text) => typeof text === 'string') &&
    [value, visits].every((number) => Number.isFinite(number)) &&
    isTextOrNull(output) &&
    (grade === null || Number.isFinite(grade)) &&
    (isVerified === null || typeof isVerified === 'boolean') &&
    (parent === null || isIndex(parent, index))
  )
}

const isIndex = (index: unknown, length: number): boolean =>
  Number.isInteger(index) && (index as number) >= 0 && (index as number) < length

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'
