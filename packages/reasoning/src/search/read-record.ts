import type { SearchUsage } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { AnswerVerdict, Grade, JobOutcome, JobRecord, ProposedOption, SearchJob } from '../strategy/job.ts'
import { toGrade } from '../tree/tree.ts'
import { boundGrading, boundProposal, DEFAULT_BOUNDS, type SearchBounds } from './bounds.ts'

/** Most warnings of one job. */
const MAX_WARNINGS = 20

/** Characters beyond the bound that a text may have after a cut elsewhere: the note in place of its middle. */
const CUT_NOTE_CHARS = 100

/** Reads the record of a job from elsewhere: cuts it to the bounds; throws `invalid-state` if the value is not such a record. */
export function readRecord(job: SearchJob, value: unknown, bounds: SearchBounds): JobRecord {
  const { outcome, used, warnings = [] } = asRecord(value)
  const { maxOptions, maxOptionLength = DEFAULT_BOUNDS.maxOptionLength } = bounds
  const read = readOutcome(job, asRecord(outcome), { maxOptions, maxOptionLength: maxOptionLength + CUT_NOTE_CHARS })
  if (!isUsage(used) || !read || !Array.isArray(warnings)) throw wrongRecord(job)
  const kept = [...warnings.filter((text) => typeof text === 'string'), ...read.warnings].slice(0, MAX_WARNINGS)
  const unique = [...new Set<string>(kept)]
  return { outcome: read.outcome, used: { ...used }, ...(unique.length > 0 && { warnings: unique }) }
}

interface ReadOutcome {
  readonly outcome: JobOutcome
  readonly warnings: readonly string[]
}

function readOutcome(job: SearchJob, outcome: Fields, bounds: SearchBounds): ReadOutcome | null {
  const { kind, code, message, text, reflection, options, grades, verdict } = outcome
  if (kind === 'failed') return isText(code) && isText(message) ? plain({ kind, code, message }) : null
  if (kind !== job.kind) return null
  switch (job.kind) {
    case 'expand': {
      if (!isText(text) || !isText(reflection) || !isListOf(options, isOption)) return null
      return boundProposal({ text, reflection, options }, bounds)
    }
    case 'grade': {
      if (!isListOf(grades, isGrade) || grades.length !== job.nodes.length) return null
      return boundGrading({ grades }, bounds)
    }
    default: {
      if (!isText(text) || text === '' || (verdict !== null && !isVerdict(verdict))) return null
      return plain({ kind: job.kind, text, verdict: verdict && { ...verdict, score: toGrade(verdict.score) ?? 0 } })
    }
  }
}

const plain = (outcome: JobOutcome): ReadOutcome => ({ outcome, warnings: [] })

type Fields = Readonly<Record<string, unknown>>

const asRecord = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrAbsent = (value: unknown): boolean => value === undefined || value === null || isText(value)
const isAmount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem)
}

function isOption(value: unknown): value is ProposedOption {
  const { content, output, grade } = asRecord(value)
  return isText(content) && isTextOrAbsent(output) && (grade === undefined || grade === null || Number.isFinite(grade))
}

function isGrade(value: unknown): value is Grade {
  const { value: grade, details } = asRecord(value)
  return isText(details) && (grade === null || Number.isFinite(grade))
}

function isVerdict(value: unknown): value is AnswerVerdict {
  const { accepted, score, reason } = asRecord(value)
  return typeof accepted === 'boolean' && Number.isFinite(score) && (reason === null || isText(reason))
}

function isUsage(value: unknown): value is SearchUsage {
  const { calls, promptTokens, completionTokens, cost, model, cached } = asRecord(value)
  return (
    [calls, promptTokens, completionTokens, cost].every(isAmount) &&
    (model === undefined || isText(model)) &&
    (cached === undefined || typeof cached === 'boolean')
  )
}

const wrongRecord = ({ id, kind }: SearchJob): XError =>
  new XError(
    'invalid-state',
    `\`perform\` of a search did not return the record of the job \`${id}\` (${kind}): return the result of \`performJob\``,
    { details: { job: id, kind } },
  )
