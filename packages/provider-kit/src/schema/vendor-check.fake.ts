import type { SchemaTableName } from './schema-rules.ts'

type Schema = Record<string, unknown>

const words = (text: string): Set<string> => new Set(text.split(' '))

const COMMON = 'type properties required items anyOf enum title description'

/** Keywords by table, written down from the documentation and not from the tables. */
const KEYWORDS: Readonly<Record<SchemaTableName, ReadonlySet<string>>> = {
  'openai-strict': words(
    `${COMMON} additionalProperties const $ref $defs pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems`,
  ),
  'anthropic-strict': words(`${COMMON} additionalProperties const $ref $defs format minItems`),
  gemini: words(`${COMMON} additionalProperties $ref $defs format minItems maxItems minimum maximum prefixItems`),
  'gemini-openapi': words(
    `${COMMON} nullable format pattern minLength maxLength minItems maxItems minProperties maxProperties minimum maximum`,
  ),
}

/** Says what a vendor would refuse in a schema; nothing for one that it takes. */
export function problemsOf(root: Schema, table: SchemaTableName): string[] {
  const problems: string[] = []
  const counts = { optional: 0, unions: 0, properties: 0 }
  const definitions = (root['$defs'] ?? {}) as Record<string, Schema>
  const visit = (schema: unknown, path: string, depth: number): void => {
    const bad = (text: string): void => void problems.push(`${path}: ${text}`)
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
      bad('not a schema')
      return
    }
    const each = schema as Schema
    for (const key of Object.keys(each)) if (!KEYWORDS[table].has(key)) bad(`the keyword ${key}`)
    const parts = checkSchema(each, table, bad, counts)
    const inner = each['type'] === 'object' ? depth + 1 : depth
    if (table === 'openai-strict' && inner > 10) bad('too deep')
    for (const [step, part] of parts) visit(part, `${path}/${step}`, inner)
  }
  visit(root, '#', 0)
  for (const [name, schema] of Object.entries(definitions)) visit(schema, `#/$defs/${name}`, 0)
  const { type, anyOf, $ref: ref } = root
  if (anyOf !== undefined || ref !== undefined) problems.push('#: alternatives or a reference at the root')
  if (table !== 'gemini' && table !== 'gemini-openapi' && type !== 'object') problems.push('#: not an object')
  if (table === 'anthropic-strict') {
    if (counts.optional > 24) problems.push(`${counts.optional} optional properties`)
    if (counts.unions > 16) problems.push(`${counts.unions} unions`)
  }
  if (table === 'openai-strict' && counts.properties > 5000) problems.push('too many properties')
  for (const cycle of cyclesIn(definitions, table)) problems.push(`a cycle at ${cycle}`)
  return problems
}

/** Checks one schema, and lists those inside it. */
function checkSchema(
  schema: Schema,
  table: SchemaTableName,
  bad: (text: string) => void,
  counts: { optional: number; unions: number; properties: number },
): [step: string, schema: unknown][] {
  const {
    type,
    anyOf,
    $ref: ref,
    enum: values,
    properties,
    required,
    additionalProperties,
    items,
    prefixItems,
  } = schema
  const isStrict = table === 'openai-strict' || table === 'anthropic-strict'
  if (ref !== undefined) {
    if (Object.keys(schema).length > 1 && table === 'gemini') bad('neighbours of a reference')
    return []
  }
  if (isStrict && type === undefined && anyOf === undefined) bad('no type')
  if (Array.isArray(type) || anyOf !== undefined) counts.unions++
  if (Array.isArray(type) && table === 'gemini-openapi') bad('a list of types')
  if (table === 'gemini-openapi' && type === 'null') bad('the type null')
  if (values !== undefined) checkEnum(values as unknown[], table, bad)
  const named = Object.entries((properties ?? {}) as Schema)
  counts.properties += named.length
  const needed = new Set((required ?? []) as string[])
  for (const name of needed) if (!named.some(([each]) => each === name)) bad(`${name} is required and not there`)
  counts.optional += named.length - needed.size
  if (type === 'object' && isStrict && additionalProperties !== false) bad('not closed')
  if (table === 'openai-strict' && type === 'object' && needed.size < named.length) bad('not all required')
  if (type === 'array' && items === undefined && prefixItems === undefined) bad('no items')
  const isNoFormat =
    isStrict && !words('date-time time date duration email hostname uri ipv4 ipv6 uuid').has(String(schema['format']))
  if (schema['format'] !== undefined && isNoFormat) bad('the format')
  if (table === 'anthropic-strict' && Number(schema['minItems'] ?? 0) > 1) bad('minItems')
  if (/\(\?[=!<]/u.test(String(schema['pattern'])) && isStrict) bad('the pattern')
  return [
    ...named.map(([name, part]): [string, unknown] => [`properties/${name}`, part]),
    ...((anyOf ?? []) as unknown[]).map((part, at): [string, unknown] => [`anyOf/${at}`, part]),
    ...((prefixItems ?? []) as unknown[]).map((part, at): [string, unknown] => [`prefixItems/${at}`, part]),
    ...(items === undefined ? [] : [['items', items] as [string, unknown]]),
    ...(typeof additionalProperties === 'object'
      ? [['additionalProperties', additionalProperties] as [string, unknown]]
      : []),
  ]
}

function checkEnum(values: readonly unknown[], table: SchemaTableName, bad: (text: string) => void): void {
  if (values.length === 0) bad('an empty enumeration')
  for (const value of values) {
    const kind = value === null ? 'null' : typeof value
    if (kind === 'object') bad('an object in an enumeration')
    if (table === 'gemini' && kind !== 'string' && kind !== 'number') bad(`${kind} in an enumeration`)
    if (table === 'gemini-openapi' && kind !== 'string') bad(`${kind} in an enumeration`)
  }
}

/** Lists the definitions that hold themselves in a way that the vendor refuses. */
function cyclesIn(definitions: Record<string, Schema>, table: SchemaTableName): string[] {
  if (table === 'openai-strict' || table === 'gemini-openapi') return []
  const targetsOf = (schema: unknown): string[] => {
    if (typeof schema !== 'object' || schema === null) return []
    if (Array.isArray(schema)) return schema.flatMap(targetsOf)
    const { $ref: ref, properties, required, additionalProperties, ...rest } = schema as Schema
    if (typeof ref === 'string') return [ref.slice('#/$defs/'.length)]
    const needed = new Set((required ?? []) as string[])
    const counted = Object.entries((properties ?? {}) as Schema).filter(
      ([name]) => table !== 'gemini' || needed.has(name),
    )
    const others = table === 'gemini' ? [] : targetsOf(additionalProperties)
    return [...counted.flatMap(([, part]) => targetsOf(part)), ...others, ...targetsOf(Object.values(rest))]
  }
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    targetsOf(definitions[from]).some((name) => {
      if (name === to) return true
      if (seen.has(name)) return false
      seen.add(name)
      return reaches(name, to, seen)
    })
  return Object.keys(definitions).filter((name) => reaches(name, name, new Set()))
}

/** Tells whether a value fits a schema that is sent, by all of its rules but patterns and formats. */
export function fitsSent(root: Schema, schema: unknown, value: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return schema === true
  const { $ref: ref, anyOf, type, enum: values, const: fixed, nullable } = schema as Schema
  const again = (part: unknown, inner: unknown): boolean => fitsSent(root, part, inner)
  if (value === null && nullable === true) return true
  if (typeof ref === 'string') return again((root['$defs'] as Schema)[ref.slice('#/$defs/'.length)], value)
  if (Array.isArray(anyOf) && !anyOf.some((part) => again(part, value))) return false
  const isType = (name: unknown): boolean => {
    if (name === 'null') return value === null
    if (name === 'array') return Array.isArray(value)
    if (name === 'integer') return Number.isInteger(value)
    if (name === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
    return typeof value === name
  }
  if (type !== undefined && ![type].flat().some(isType)) return false
  if (Array.isArray(values) && !values.includes(value)) return false
  if (fixed !== undefined && fixed !== value) return false
  const {
    minimum = -Infinity,
    maximum = Infinity,
    minItems = 0,
    maxItems = Infinity,
  } = schema as Record<string, number>
  if (typeof value === 'number') return value >= minimum && value <= maximum
  if (Array.isArray(value)) {
    const { prefixItems = [], items = true } = schema as { prefixItems?: unknown[]; items?: unknown }
    if (value.length < minItems || value.length > maxItems) return false
    return value.every((each, at) => again(at < prefixItems.length ? prefixItems[at] : items, each))
  }
  if (typeof value !== 'object' || value === null) return true
  const {
    properties = {},
    required = [],
    additionalProperties = true,
  } = schema as {
    properties?: Schema
    required?: string[]
    additionalProperties?: unknown
  }
  if (required.some((name) => !Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, each]) =>
    again(Object.hasOwn(properties, name) ? properties[name] : additionalProperties, each),
  )
}
