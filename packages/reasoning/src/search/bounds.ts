import { kind, type OptionKinds } from '@x/kernel/options'
import { shorten } from '../read/shorten.ts'
import type { JobOutcome } from '../strategy/job.ts'
import { toGrade } from '../tree/tree.ts'
import type { Grading, Proposal } from './parts.ts'

/** The bounds of the results of parts; a result beyond one is cut, with a warning. */
export interface SearchBounds {
  /** Most options of one proposal; the first ones stay. Default 64. */
  maxOptions?: number | undefined
  /** Most characters of an option, a reflection and the words of a grader; a longer one loses its middle. Default 10,000. */
  maxOptionLength?: number | undefined
}

/** The default bounds of a search. */
export const DEFAULT_BOUNDS: { readonly maxOptions: number; readonly maxOptionLength: number } = {
  maxOptions: 64,
  maxOptionLength: 10_000,
}

/** Kinds of the bounds, for options that include them. */
export const BOUND_KINDS: OptionKinds<SearchBounds> = { maxOptions: kind.whole(1), maxOptionLength: kind.whole(20) }

/** An outcome within the bounds, and warnings of cuts. */
interface BoundOutcome {
  readonly outcome: JobOutcome
  readonly warnings: readonly string[]
}

/** Cuts a proposal to the bounds, and clamps the grades of its options to [0, 1]. */
export function boundProposal(proposal: Proposal, bounds: SearchBounds): BoundOutcome {
  const { maxOptions = DEFAULT_BOUNDS.maxOptions } = bounds
  const cut = cutter('an option', bounds)
  const options = proposal.options
    .slice(0, maxOptions)
    .map((option) => ({ ...option, content: cut.text(option.content) }))
  for (const option of options) {
    if (typeof option.output === 'string') option.output = cut.text(option.output)
    if (typeof option.grade === 'number') option.grade = toGrade(option.grade)
  }
  const [text, reflection] = [cut.quietly(proposal.text), cut.text(proposal.reflection)]
  const tooMany = `a proposal had more than ${maxOptions} options: the first ones are kept; see \`maxOptions\``
  return {
    outcome: { kind: 'expand', text, reflection, options },
    warnings: proposal.options.length > maxOptions ? [tooMany, ...cut.warnings] : cut.warnings,
  }
}

/** Cuts the words of a grader to the bounds, and clamps its grades to [0, 1]. */
export function boundGrading(grading: Grading, bounds: SearchBounds): BoundOutcome {
  const cut = cutter('a grading', bounds)
  const grades = grading.grades.map((grade) => ({
    ...grade,
    value: grade.value === null ? null : toGrade(grade.value),
    details: cut.text(grade.details),
  }))
  return { outcome: { kind: 'grade', grades }, warnings: cut.warnings }
}

function cutter(subject: string, { maxOptionLength = DEFAULT_BOUNDS.maxOptionLength }: SearchBounds) {
  const warnings: string[] = []
  const quietly = (text: string): string => shorten(text, maxOptionLength)
  return {
    warnings,
    quietly,
    text(text: string): string {
      if (text.length > maxOptionLength && warnings.length === 0) {
        warnings.push(
          `${subject} was longer than ${maxOptionLength} characters: its middle is left out; see \`maxOptionLength\``,
        )
      }
      return quietly(text)
    },
  }
}
