import { isRecord, listOf, recordOf } from '../json/wire-values.ts'

/** A JSON Schema object, whose keywords may have any value. */
export type Schema = Readonly<Record<string, unknown>>

/** Keyword of merged schemas: names of the rules that could not be merged. */
export const UNMERGED = '$unmerged'

/** Most alternatives that a schema is taken apart into. */
const MAX_ALTERNATIVES = 64

/** Most schemas of `allOf` and references inside each other. */
const MAX_MERGED_DEPTH = 40

/** Keywords that say nothing about values. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  `title description default examples example $schema $id $anchor $comment $defs definitions deprecated readOnly writeOnly
   discriminator externalDocs`.split(/\s+/u),
)

/** Tells whether a schema says anything about values beside some keywords. */
export const isBare = (schema: Schema, ...besides: readonly string[]): boolean =>
  Object.keys(schema).every((key) => ANNOTATIONS.has(key) || besides.includes(key) || key.startsWith('x-'))

/** Finds the schema that a reference leads to; undefined where it leads nowhere. */
export type Resolve = (ref: string) => unknown

/**
 * Takes a schema apart into alternatives without `$ref`, `allOf`, `anyOf` and `oneOf`: a value fits the schema if it fits one
 * of them. A schema that cannot be merged loses rules, never values.
 */
export function alternativesOf(schema: unknown, resolve: Resolve, depth = 0): Schema[] {
  if (schema === false) return []
  if (!isRecord(schema)) return [{}]
  if (depth > MAX_MERGED_DEPTH) return [{ [UNMERGED]: ['$ref'] }]
  const { $ref: ref, allOf, anyOf, oneOf, ...own } = schema
  let all: Schema[] = splitTypes(own)
  const parts = [...(typeof ref === 'string' ? [resolve(ref)] : []), ...listOf(allOf)]
  for (const part of parts) all = combine(all, alternativesOf(part, resolve, depth + 1), '$ref')
  for (const [key, group] of Object.entries({ anyOf, oneOf })) {
    if (!Array.isArray(group)) continue
    all = combine(
      all,
      group.flatMap((each: unknown) => alternativesOf(each, resolve, depth + 1)),
      key,
    )
  }
  return all
}

/** Splits a schema of several types, so that lists and objects stand alone. */
function splitTypes(schema: Schema): Schema[] {
  const { type, nullable } = schema
  const types = Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type]
  if (nullable === true && types.length > 0 && !types.includes('null')) types.push('null')
  if (types.length === 0) return [schema]
  const isPart = (name: unknown): boolean => name === 'object' || name === 'array'
  const plain = types.filter((name) => !isPart(name))
  const groups: unknown[] = [
    ...types.filter(isPart),
    ...(plain.length > 0 ? [plain.length === 1 ? plain[0] : plain] : []),
  ]
  return groups.map((name): Schema => ({ ...schema, type: name }))
}

function combine(ones: readonly Schema[], others: readonly Schema[], key: string): Schema[] {
  if (ones.length * others.length > MAX_ALTERNATIVES && others.length > 1 && ones.length > 1) {
    return ones.map((one) => ({ ...one, [UNMERGED]: [...listOf(one[UNMERGED]), key] }))
  }
  return ones.flatMap((one) => others.map((other) => mergeSchemas(one, other)).filter((each) => each !== undefined))
}

/** Keywords whose larger value holds, and keywords whose smaller one does. */
const LOWER_LIMITS: ReadonlySet<string> = new Set(
  'minimum exclusiveMinimum minLength minItems minProperties minContains'.split(' '),
)
const UPPER_LIMITS: ReadonlySet<string> = new Set(
  'maximum exclusiveMaximum maxLength maxItems maxProperties maxContains'.split(' '),
)

/** Merges two schemas that a value has to fit both; undefined where no value can. */
function mergeSchemas(one: Schema, other: Schema): Schema | undefined {
  const out: Record<string, unknown> = { ...one }
  for (const [key, value] of Object.entries(other)) {
    const before = out[key]
    if (before === undefined) out[key] = value
    else if (ANNOTATIONS.has(key) || JSON.stringify(before) === JSON.stringify(value)) continue
    else if (key === 'type') {
      const types = commonTypes(before, value)
      if (types.length === 0) return undefined
      out['type'] = types.length === 1 ? types[0] : types
    } else if (key === 'const') return undefined
    else if (key === 'enum') out['enum'] = listOf(before).filter((each) => hasEqual(listOf(value), each))
    else if (key === 'required' || key === UNMERGED) out[key] = [...new Set([...listOf(before), ...listOf(value)])]
    else if (LOWER_LIMITS.has(key)) out[key] = Math.max(Number(before), Number(value))
    else if (UPPER_LIMITS.has(key)) out[key] = Math.min(Number(before), Number(value))
    else if (key === 'uniqueItems') out[key] = true
    else if (key === 'properties' || key === 'patternProperties') out[key] = mergeNamed(before, value)
    else if (SCHEMA_KEYWORDS.has(key)) out[key] = both(before, value)
    else if (key === 'prefixItems') {
      const longer = Math.max(listOf(before).length, listOf(value).length)
      out[key] = Array.from({ length: longer }, (_, at) => both(listOf(before)[at] ?? {}, listOf(value)[at] ?? {}))
    } else out[UNMERGED] = [...listOf(out[UNMERGED]), key]
  }
  return out
}

const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(
  'items additionalItems additionalProperties unevaluatedProperties propertyNames'.split(' '),
)

function both(one: unknown, other: unknown): unknown {
  if (one === false || other === false) return false
  return { allOf: [one, other] }
}

function mergeNamed(one: unknown, other: unknown): object {
  const out = new Map(Object.entries(recordOf(one)))
  for (const [name, schema] of Object.entries(recordOf(other))) {
    out.set(name, out.has(name) ? both(out.get(name), schema) : schema)
  }
  return Object.fromEntries(out)
}

function commonTypes(one: unknown, other: unknown): unknown[] {
  const others = new Set([other].flat())
  return [one].flat().flatMap((type) => {
    if (others.has(type)) return [type]
    if (type === 'integer' && others.has('number')) return ['integer']
    return type === 'number' && others.has('integer') ? ['integer'] : []
  })
}

/** Tells whether a list has a value that is equal to another one. */
export function hasEqual(list: readonly unknown[], value: unknown): boolean {
  const key = JSON.stringify(value)
  return list.some((each) => JSON.stringify(each) === key)
}
