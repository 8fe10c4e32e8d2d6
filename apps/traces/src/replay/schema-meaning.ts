import type { Facts, TraceValue } from './trace.ts'

/** Keywords of a JSON Schema that say what is meant; the others are spelling. */
const KEYWORDS = ['type', 'description', 'default', 'enum', 'items', 'anyOf'] as const

/** A JSON Schema reduced to what it means: types, descriptions, defaults, what is required. */
export function schemaMeaning(schema: TraceValue | undefined): TraceValue {
  if (Array.isArray(schema)) return schema.map((item) => schemaMeaning(item as TraceValue))
  if (typeof schema !== 'object' || schema === null) return schema ?? null
  const { properties, required, ...rest } = schema as Facts
  const meaning: Record<string, TraceValue> = {}
  for (const keyword of KEYWORDS) {
    const value = rest[keyword]
    if (value === undefined || (keyword === 'items' && isEmpty(value))) continue
    meaning[keyword] = keyword === 'items' || keyword === 'anyOf' ? schemaMeaning(value) : value
  }
  for (const [name, property] of Object.entries((properties ?? {}) as Facts)) {
    meaning[`property ${name}`] = schemaMeaning(property)
  }
  for (const name of (required ?? []) as readonly string[]) meaning[`required ${name}`] = true
  return meaning
}

/** A schema that says nothing: anything goes. */
const isEmpty = (schema: TraceValue): boolean =>
  typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0

/** The parameters of a model call with the schemas of its tools and functions reduced to what they mean. */
export function withSchemaMeaning(params: Facts): Facts {
  const meant = ({ parameters, ...rest }: Facts): Facts => ({ ...rest, parameters: schemaMeaning(parameters) })
  const { tools, functions, ...rest } = params
  return {
    ...rest,
    ...(Array.isArray(tools) && {
      tools: tools.map((tool: Facts) => ({ ...tool, function: meant(tool['function'] as Facts) })),
    }),
    ...(Array.isArray(functions) && { functions: functions.map((one: Facts) => meant(one)) }),
  }
}
