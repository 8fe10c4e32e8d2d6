import { kind, type OptionKinds } from '@x/kernel/options'
import { shorten } from '../read/shorten.ts'
import type { JobOutcome } from '../strategy/job.ts'
import { toGrade } from '../tree/to-grade.ts'
import type { Grading, Proposal } from './parts.ts'

/** The bounds of what a search takes in; what exceeds one is cut, and a warning says so. */
export interface SearchBounds {
  /** Most options of one proposal; the first ones are kept. Default 64. */
  maxOptions?: number | undefined
  /** Most characters of an option, a reflection and the words of a grader; the middle is left out. Default 10,000. */
  maxOptionLength?: number | undefined
}

/** The bounds of a search that sets none. */
export const DEFAULT_BOUNDS: { readonly maxOptions: number; readonly maxOptionLength: number } = {
  maxOptions: 64,
  maxOptionLength: 10_000,
}

/** Kinds of the bounds, for those that take them among other options. */
export const BOUND_KINDS: OptionKinds<SearchBounds> = { maxOptions: kind.whole(1), maxOptionLength: kind.whole(20) }

/** An outcome within the bounds, and what was cut. */
interface BoundOutcome {
  readonly outcome: JobOutcome
  readonly warnings: readonly string[]
}

/** Cuts a proposal to the bounds, and holds the grades of its options within 0 and 1. */
export function boundProposal(made: Proposal, bounds: SearchBounds): BoundOutcome {
  const { maxOptions = DEFAULT_BOUNDS.maxOptions } = bounds
  const cut = cutter('an option', bounds)
  const options = made.options.slice(0, maxOptions).map((option) => ({ ...option, content: cut.text(option.content) }))
  for (const option of options) {
    if (typeof option.output === 'string') option.output = cut.text(option.output)
    if (typeof option.grade === 'number') option.grade = toGrade(option.grade)
  }
  const [text, reflection] = [cut.quietly(made.text), cut.text(made.reflection)]
  const many = `a proposal had more than ${maxOptions} options: the first ones are kept; see \`maxOptions\``
  return {
    outcome: { kind: 'expand', text, reflection, options },
    warnings: made.options.length > maxOptions ? [many, ...cut.warnings] : cut.warnings,
  }
}

/** Cuts the words of a grader to the bounds, and holds its grades within 0 and 1. */
export function boundGrading(made: Grading, bounds: SearchBounds): BoundOutcome {
  const cut = cutter('a grading', bounds)
  const grades = made.grades.map((grade) => ({
    ...grade,
    value: grade.value === null ? null : toGrade(grade.value),
    details: cut.text(grade.details),
  }))
  return { outcome: { kind: 'grade', grades }, warnings: cut.warnings }
}

function cutter(what: string, { maxOptionLength = DEFAULT_BOUNDS.maxOptionLength }: SearchBounds) {
  const warnings: string[] = []
  const quietly = (text: string): string => shorten(text, maxOptionLength)
  return {
    warnings,
    quietly,
    text(text: string): string {
      if (text.length > maxOptionLength && warnings.length === 0) {
        warnings.push(
          `${what} was longer than ${maxOptionLength} characters: its middle is left out; see \`maxOptionLength\``,
        )
      }
      return quietly(text)
    },
  }
}
