/** A JSON Schema while it is rewritten. */
type Schema = Record<string, unknown>

/** Keywords that strict mode does not know; the reader of the answer checks their rules. */
const UNSUPPORTED_KEYWORDS = new Set(['$schema', 'propertyNames', 'patternProperties', 'default'])

/**
 * Returns a JSON Schema for strict mode: every object closed, every property required, optional ones nullable. The given
 * schema is not changed.
 */
export function strictSchema(schema: object): Record<string, unknown> {
  const strict = Object.fromEntries(
    Object.entries(schema as Schema)
      .filter(([key]) => !UNSUPPORTED_KEYWORDS.has(key))
      .map(([key, value]) => [key, strictPart(key, value)]),
  )
  const properties = strict['properties'] as Record<string, Schema> | undefined
  if (strict['type'] !== 'object' && !properties) return strict
  const required = new Set((strict['required'] as string[] | undefined) ?? [])
  strict['properties'] = Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, part]) => [name, required.has(name) ? part : nullable(part)]),
  )
  strict['required'] = Object.keys(properties ?? {})
  strict['additionalProperties'] = false
  return strict
}

function strictPart(key: string, value: unknown): unknown {
  if (key === 'enum' || key === 'const' || key === 'required' || typeof value !== 'object' || value === null)
    return value
  if (Array.isArray(value)) return value.map((part: unknown) => strictPart('', part))
  if (key === 'properties' || key === '$defs' || key === 'definitions') {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, strictSchema(part as object)]))
  }
  return strictSchema(value)
}

function nullable(part: Schema): Schema {
  const { type, enum: values } = part
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return part
  const anyOf = part['anyOf'] as Schema[] | undefined
  if (anyOf)
    return anyOf.some((option) => option['type'] === 'null') ? part : { ...part, anyOf: [...anyOf, { type: 'null' }] }
  if (type === undefined) return { anyOf: [part, { type: 'null' }] }
  const types = [...(Array.isArray(type) ? (type as string[]) : [type as string]), 'null']
  return { ...part, type: types, ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }) }
}
