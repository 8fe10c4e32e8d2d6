import type { Recorded } from './trace.ts'

/** A recording in which one value is another, or one list lacks its last item. */
export interface Change {
  /** Keys and indexes from the recording to the value. */
  readonly path: readonly (string | number)[]
  readonly kind: 'changed' | 'removed'
  readonly recorded: Recorded
}

/** All recordings that differ from one in a single value. */
export function* changesOf(recorded: Recorded): Generator<Change> {
  for (const { value, ...change } of changed(recorded)) yield { ...change, recorded: value as Recorded }
}

interface Changed extends Omit<Change, 'recorded'> {
  readonly value: unknown
}

function* changed(value: unknown): Generator<Changed> {
  if (typeof value !== 'object' || value === null) {
    yield { path: [], kind: 'changed', value: another(value) }
  } else if (Array.isArray(value)) {
    if (value.length > 0) yield { path: [value.length - 1], kind: 'removed', value: value.slice(0, -1) }
    for (const [index, item] of value.entries()) {
      for (const change of changed(item)) yield within(index, change, value.with(index, change.value))
    }
  } else {
    for (const [key, item] of Object.entries(value)) {
      for (const change of changed(item)) yield within(key, change, { ...value, [key]: change.value })
    }
  }
}

const within = (key: string | number, { path, kind }: Changed, value: unknown): Changed => ({
  path: [key, ...path],
  kind,
  value,
})

function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return typeof value === 'string' ? `${value}~` : 'changed'
}
