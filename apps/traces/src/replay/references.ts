import type { TraceValue } from './trace.ts'

/** Functions that resolve the references of a trace, by kind (`$agent`, `$tool`, …). */
export type References = Readonly<Record<string, (target: TraceValue) => unknown>>

/** Copies a value with every reference resolved. */
export function resolve(value: TraceValue | undefined, references: References): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => resolve(item as TraceValue, references))
  const entries = Object.entries(value) as [string, TraceValue][]
  const [first] = entries
  if (entries.length === 1 && first?.[0].startsWith('$')) {
    const find = references[first[0]]
    if (!find) throw new Error(`the trace has a reference \`${first[0]}\`, which nobody knows`)
    return find(first[1])
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item, references)]))
}

/** Finds things by name; the error of a missing one lists the known names. */
export function finder<T>(kind: string, things: Readonly<Record<string, T>>): (name: TraceValue) => T {
  return (name) => {
    if (typeof name === 'string' && Object.hasOwn(things, name)) return things[name] as T
    throw new Error(`there is no ${kind} \`${JSON.stringify(name)}\`; there are: ${Object.keys(things).join(', ')}`)
  }
}
