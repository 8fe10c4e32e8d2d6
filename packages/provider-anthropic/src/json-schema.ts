/** A JSON Schema being rewritten. */
type Schema = Record<string, unknown>

/** Keywords that structured output does not know; they are said in the description instead. */
const UNKNOWN = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])

/** Keywords that mean nothing to a model. */
const DROPPED = new Set(['$schema', '$id', 'propertyNames', 'patternProperties', 'default', 'examples'])

const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/** Returns a JSON Schema as structured output takes it: objects closed, `oneOf` as `anyOf`. The given schema is not changed. */
export function outputSchema(schema: object): Schema {
  const given = schema as Schema
  const out: Schema = {}
  const said: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (DROPPED.has(key)) continue
    const few = key === 'minItems' && typeof value === 'number' && value > 1
    const strange = key === 'format' && !FORMATS.has(String(value))
    if (UNKNOWN.has(key) || few || strange) said.push(`${key}: ${JSON.stringify(value)}`)
    else out[key === 'oneOf' ? 'anyOf' : key] = schemaPart(key, value)
  }
  if (said.length > 0) out['description'] = [given['description'], `(${said.join(', ')})`].filter(Boolean).join(' ')
  if (out['type'] === 'object' || out['properties'] !== undefined) out['additionalProperties'] = false
  return out
}

function schemaPart(key: string, value: unknown): unknown {
  if (key === 'enum' || key === 'const' || key === 'required' || typeof value !== 'object' || value === null)
    return value
  if (Array.isArray(value)) return value.map((part: unknown) => schemaPart('', part))
  if (key === 'properties' || key === '$defs' || key === 'definitions') {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, outputSchema(part as object)]))
  }
  return outputSchema(value)
}
