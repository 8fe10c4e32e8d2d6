import type { TraceValue } from './trace.ts'

/** Fills `{name}` in a text with the value of that name. */
export function fill(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (field, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`\`${template}\` has \`${field}\`, and there is no such value`)
    return typeof values[name] === 'string' ? values[name] : spacedJson(values[name] as TraceValue)
  })
}

/** JSON with `, ` and `: ` between its parts, as the recordings spell it. */
export function spacedJson(value: TraceValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}: ${spacedJson(item)}`).join(', ')}}`
}
