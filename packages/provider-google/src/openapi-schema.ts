/** A JSON Schema while it is rewritten. */
type Schema = Record<string, unknown>

/** Supported keywords without further schemas. */
const COPIED_KEYWORDS = [
  'title',
  'description',
  'format',
  'enum',
  'nullable',
  'required',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]

/** Most schemas of a converted one: references can repeat a part without end. */
const MAX_CONVERTED_SCHEMAS = 5000

/**
 * Returns a JSON Schema in the subset of OpenAPI that older endpoints take: references resolved (a recursive one becomes
 * any object), `const` and enums as texts, null as `nullable`. The given schema is not changed. Of one that becomes more than
 * 5,000 schemas, the remaining ones are any object.
 */
export function openApiSchema(schema: object): Schema {
  const root = schema as Schema
  const definitions = { ...(root['definitions'] as Schema), ...(root['$defs'] as Schema) }
  return convert(root, { definitions, left: MAX_CONVERTED_SCHEMAS }, new Set())
}

/** The definitions of the whole schema, and how many schemas may still be converted. */
interface Conversion {
  readonly definitions: Schema
  left: number
}

function convert(given: Schema, conversion: Conversion, open: ReadonlySet<string>): Schema {
  if (--conversion.left < 0) return { type: 'object' }
  const { $ref: ref } = given
  if (typeof ref === 'string') {
    const name = ref.replace(/^.*\//u, '')
    const target = conversion.definitions[name]
    if (open.has(name) || typeof target !== 'object' || target === null) return { type: 'object' }
    return convert(target as Schema, conversion, new Set([...open, name]))
  }
  const next = (part: unknown): Schema => convert((part ?? {}) as Schema, conversion, open)
  const out: Schema = {}
  for (const key of COPIED_KEYWORDS) if (given[key] !== undefined) out[key] = given[key]
  if (given['const'] !== undefined) out['enum'] = [given['const']]
  addType(out, given, next)
  if (Array.isArray(out['enum'])) {
    const values = out['enum'] as unknown[]
    if (values.includes(null)) out['nullable'] = true
    out['enum'] = values.filter((value) => value !== null).map(String)
    if (out['type'] !== 'string' || out['format'] === undefined) out['format'] = 'enum'
    out['type'] = 'string'
  }
  if (typeof given['properties'] === 'object' && given['properties'] !== null) {
    out['properties'] = Object.fromEntries(
      Object.entries(given['properties']).map(([name, part]) => [name, next(part)]),
    )
  }
  if (out['type'] === 'array') out['items'] = next(given['items'])
  return out
}

/** Adds `type`, or `anyOf` for several types, with null as `nullable`. */
function addType(out: Schema, given: Schema, next: (part: unknown) => Schema): void {
  const { type } = given
  const types = Array.isArray(type) ? (type as string[]) : type === undefined ? [] : [type as string]
  const valueTypes = types.filter((name) => name !== 'null')
  if (valueTypes.length < types.length) out['nullable'] = true
  if (valueTypes.length === 1) out['type'] = valueTypes[0]
  if (valueTypes.length > 1) out['anyOf'] = valueTypes.map((name) => next({ ...given, type: name }))
  const branches = (given['anyOf'] ?? given['oneOf']) as Schema[] | undefined
  if (!branches) return
  const remaining = branches.filter((branch) => branch['type'] !== 'null')
  if (remaining.length < branches.length) out['nullable'] = true
  if (remaining.length === 1) Object.assign(out, { ...next(remaining[0]), ...out })
  else out['anyOf'] = remaining.map(next)
}
