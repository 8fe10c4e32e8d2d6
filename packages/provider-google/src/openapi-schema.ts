/** A JSON Schema being rewritten. */
type Schema = Record<string, unknown>

/** Keywords that the subset knows and that hold no further schemas. */
const KNOWN = [
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

/**
 * Returns a JSON Schema in the subset of OpenAPI that older endpoints take: references resolved (a recursive one becomes
 * any object), `const` and enums as texts, null as `nullable`. The given schema is not changed.
 */
export function openApiSchema(schema: object): Schema {
  const root = schema as Schema
  const definitions = { ...(root['definitions'] as Schema), ...(root['$defs'] as Schema) }
  return convert(root, definitions, new Set())
}

function convert(given: Schema, definitions: Schema, open: ReadonlySet<string>): Schema {
  const { $ref: ref } = given
  if (typeof ref === 'string') {
    const name = ref.replace(/^.*\//u, '')
    const target = definitions[name]
    if (open.has(name) || typeof target !== 'object' || target === null) return { type: 'object' }
    return convert(target as Schema, definitions, new Set([...open, name]))
  }
  const next = (part: unknown): Schema => convert((part ?? {}) as Schema, definitions, open)
  const out: Schema = {}
  for (const key of KNOWN) if (given[key] !== undefined) out[key] = given[key]
  if (given['const'] !== undefined) out['enum'] = [given['const']]
  typed(out, given, next)
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

/** Returns `type`, or `anyOf` for several, with null as `nullable`. */
function typed(out: Schema, given: Schema, next: (part: unknown) => Schema): void {
  const { type } = given
  const types = Array.isArray(type) ? (type as string[]) : type === undefined ? [] : [type as string]
  const real = types.filter((each) => each !== 'null')
  if (real.length < types.length) out['nullable'] = true
  if (real.length === 1) out['type'] = real[0]
  if (real.length > 1) out['anyOf'] = real.map((each) => next({ ...given, type: each }))
  const branches = (given['anyOf'] ?? given['oneOf']) as Schema[] | undefined
  if (!branches) return
  const remaining = branches.filter((branch) => branch['type'] !== 'null')
  if (remaining.length < branches.length) out['nullable'] = true
  if (remaining.length === 1) Object.assign(out, { ...next(remaining[0]), ...out })
  else out['anyOf'] = remaining.map(next)
}
