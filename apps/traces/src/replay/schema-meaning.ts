import type { Facts, TraceValue } from './trace.ts'

/** Keywords of a JSON Schema that carry meaning; others are spelling. */
const KEYWORDS = ['type', 'description', 'default', 'enum', 'items', 'anyOf'] as const

/** Reduces a JSON Schema to its meaning: types, descriptions, defaults, required properties. */
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

/** Reduces the schemas of the tools and functions of a model call to their meaning. */
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
