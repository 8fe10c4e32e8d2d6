import { isRecord } from './is-record.ts'

type Schema = Record<string, unknown>

/** Keywords that combine schemas; providers refuse them at the top of a tool's schema. */
const COMBINED = ['oneOf', 'anyOf', 'allOf', 'not', 'enum'] as const

/**
 * Returns the schema of a tool's arguments as an object without alternatives at its top, which providers refuse there: it
 * has the properties of every alternative and requires what all of them require. What it then lets through is for the
 * tool to refuse. The given schema is not changed.
 */
export function objectSchema(given: object | undefined): Schema {
  const schema = (given ?? {}) as Schema
  if (!COMBINED.some((key) => key in schema)) return { type: 'object', ...schema }
  const definitions = { ...record(schema['definitions']), ...record(schema['$defs']) }
  const rest: Schema = { ...schema }
  for (const key of COMBINED) delete rest[key]
  const resolved = (part: unknown): Schema => {
    const { $ref: ref } = record(part)
    return typeof ref === 'string' ? record(definitions[ref.replace(/^.*\//u, '')]) : record(part)
  }
  const listed = (key: string): Schema[] => (Array.isArray(schema[key]) ? (schema[key] as unknown[]).map(resolved) : [])
  const all = [rest, ...listed('allOf')]
  const groups = [listed('oneOf'), listed('anyOf')].filter((group) => group.length > 0)
  const properties = new Map<string, unknown[]>()
  for (const part of [...all, ...groups.flat()]) {
    for (const [name, property] of Object.entries(record(part['properties']))) {
      const known = properties.get(name) ?? []
      const isNew = known.every((each) => JSON.stringify(each) !== JSON.stringify(property))
      properties.set(name, isNew ? [...known, property] : known)
    }
  }
  const required = new Set([...all.flatMap(requiredOf), ...groups.flatMap(requiredByAll)])
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(
      [...properties].map(([name, schemas]) => [name, schemas.length === 1 ? schemas[0] : { anyOf: schemas }]),
    ),
    ...(required.size > 0 && { required: [...required] }),
  }
}

const record = (value: unknown): Schema => (isRecord(value) ? value : {})

const requiredOf = ({ required }: Schema): string[] => (Array.isArray(required) ? (required as string[]) : [])

function requiredByAll(group: readonly Schema[]): string[] {
  const [first = [], ...others] = group.map(requiredOf)
  return first.filter((name) => others.every((names) => names.includes(name)))
}
