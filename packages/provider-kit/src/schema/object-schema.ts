import { listOf, recordOf } from '../json/wire-values.ts'

type Schema = Readonly<Record<string, unknown>>

/** Keywords that combine schemas; providers refuse them at the top of a tool's schema. */
const COMBINING_KEYWORDS = ['oneOf', 'anyOf', 'allOf', 'not', 'enum'] as const

/**
 * Returns the schema of a tool's arguments as an object without alternatives at its top, where providers refuse them: it has
 * the properties of every alternative and requires those that all alternatives require. The tool itself has to refuse wrong
 * combinations. The given schema is not changed.
 */
export function objectSchema(given: object | undefined): Schema {
  const schema = (given ?? {}) as Schema
  if (!COMBINING_KEYWORDS.some((key) => key in schema)) return { type: 'object', ...schema }
  const definitions = { ...recordOf(schema['definitions']), ...recordOf(schema['$defs']) }
  const rest: Record<string, unknown> = { ...schema }
  for (const key of COMBINING_KEYWORDS) delete rest[key]
  const resolved = (part: unknown): Schema => {
    const { $ref: ref } = recordOf(part)
    return typeof ref === 'string' ? recordOf(definitions[ref.replace(/^.*\//u, '')]) : recordOf(part)
  }
  const listed = (key: string): Schema[] => listOf(schema[key]).map(resolved)
  const all = [rest, ...listed('allOf')]
  const groups = [listed('oneOf'), listed('anyOf')].filter((group) => group.length > 0)
  const properties = new Map<string, Map<string, unknown>>()
  for (const part of [...all, ...groups.flat()]) {
    for (const [name, property] of Object.entries(recordOf(part['properties']))) {
      const variants = properties.get(name) ?? new Map<string, unknown>()
      const text = JSON.stringify(property)
      if (!variants.has(text)) variants.set(text, property)
      properties.set(name, variants)
    }
  }
  const required = new Set([...all.flatMap(requiredOf), ...groups.flatMap(requiredByAll)])
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(
      [...properties].map(([name, variants]) => {
        const [first, ...others] = variants.values()
        return [name, others.length === 0 ? first : { anyOf: [first, ...others] }]
      }),
    ),
    ...(required.size > 0 && { required: [...required] }),
  }
}

const requiredOf = ({ required }: Schema): readonly unknown[] => listOf(required)

function requiredByAll(group: readonly Schema[]): unknown[] {
  const [first = [], ...others] = group.map(requiredOf)
  const sets = others.map((names) => new Set(names))
  return first.filter((name) => sets.every((names) => names.has(name)))
}
