import { decisionFor, type Decisions, type TableName } from './decisions.ts'

/** The values that the tables have for one field. */
export interface Candidate {
  readonly table: TableName
  readonly value: number
}

/** The place of a field, and the other facts of the tables about the model. */
export interface FieldContext {
  readonly endpoint: string
  readonly model: string
  readonly field: string
  readonly decisions: Decisions
  /** All values of a field of the model. */
  readonly valuesOf: (field: string) => readonly number[]
}

/** The value that counts, and why, where the tables differ. */
export interface Choice {
  readonly value: number | undefined
  /** How the difference was settled; absent when there is none, `undecided` when a person must. */
  readonly by?: string
}

/** Chooses among the values of a field: by hand where a decision exists, by rules about how tables count, or by two of three. */
export function chooseValue(candidates: readonly Candidate[], context: FieldContext): Choice {
  const differs = new Set(candidates.map(({ value }) => value)).size > 1
  const decision = decisionFor(context.decisions, context.endpoint, context.model, context.field)
  if (decision && (differs || typeof decision.take !== 'string')) {
    const { take, why } = decision
    const value = typeof take === 'string' ? candidates.find(({ table }) => table === take)?.value : (take ?? undefined)
    if (value !== undefined || take === null) return { value, by: `decided: ${why}` }
  }
  if (!differs) return { value: candidates[0]?.value }
  const left = applyRules(candidates, context)
  const values = [...new Set(left.map(({ value }) => value))]
  if (values.length === 1) return { value: values[0], by: 'rule' }
  const most = values.find((value) => left.filter((each) => each.value === value).length > 1)
  return most === undefined ? { value: undefined, by: 'undecided' } : { value: most, by: 'two of three' }
}

function applyRules(candidates: readonly Candidate[], context: FieldContext): readonly Candidate[] {
  const { field, valuesOf } = context
  if (field === 'price.long.above') return closestAbove(candidates)
  if (field === 'contextWindow') {
    const smallest = Math.min(...candidates.map(({ value }) => value))
    // A few tokens for the end of a text.
    if (candidates.every(({ value }) => value - smallest < 8))
      return candidates.filter((each) => each.value === smallest)
    const caps = valuesOf('price.long.above')
    const outputs = valuesOf('maxOutput')
    const windows = new Set(candidates.map(({ value }) => value))
    return withoutRounded(
      keepSome(candidates, ({ table, value }) => {
        // The package ends a window where longer requests cost more.
        if (table === 'modelsDev' && caps.includes(value)) return false
        // LiteLLM counts the input alone.
        return !(table === 'litellm' && outputs.some((output) => windows.has(value + output)))
      }),
    )
  }
  if (field === 'maxOutput') {
    const windows = valuesOf('contextWindow')
    // A table without this limit repeats the context window.
    return withoutRounded(keepSome(candidates, ({ value }) => !windows.includes(value)))
  }
  return candidates
}

function keepSome(candidates: readonly Candidate[], keep: (each: Candidate) => boolean): readonly Candidate[] {
  const kept = candidates.filter(keep)
  return kept.length > 0 ? kept : candidates
}

/** True if two thresholds differ by one: one table names the first token that costs more, the other the last that does not. */
function closestAbove(candidates: readonly Candidate[]): readonly Candidate[] {
  const highest = Math.max(...candidates.map(({ value }) => value))
  return candidates.every(({ value }) => highest - value <= 1)
    ? candidates.filter(({ value }) => value === highest)
    : candidates
}

/** Drops rounded thousands for which another table has the exact number. */
function withoutRounded(candidates: readonly Candidate[]): readonly Candidate[] {
  const isRound = ({ value }: Candidate): boolean => value % 1000 === 0
  const exact = candidates.filter((each) => !isRound(each))
  return keepSome(
    candidates,
    (each) => !isRound(each) || !exact.some(({ value }) => Math.abs(value - each.value) < value * 0.07),
  )
}
