import type { JsonSchema } from '@x/interfaces'
import { nearestName } from '@x/kernel/options'

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Keywords that hold one schema, several by name, or several in a list. */
const ONE = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'] as const
const BY_NAME = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'] as const
const SEVERAL = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/** Keywords of JSON Schema and of OpenAPI; others pass unless they look like a misspelling of one of these. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...ONE,
  ...BY_NAME,
  ...SEVERAL,
  ...'$schema $id $ref $anchor $comment $vocabulary $dynamicRef $dynamicAnchor type enum const required'.split(' '),
  ...'title description default examples example deprecated readOnly writeOnly format pattern'.split(' '),
  ...'minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' '),
  ...'minItems maxItems uniqueItems minContains maxContains minProperties maxProperties'.split(' '),
  ...'unevaluatedItems unevaluatedProperties additionalItems dependentRequired dependencies'.split(' '),
  ...'contentEncoding contentMediaType contentSchema nullable discriminator xml externalDocs id'.split(' '),
])

/** Says what is wrong with the parameters of a tool, a JSON Schema of an object, and what to write; undefined for nothing. */
export function problemOfParameters(schema: JsonSchema): string | undefined {
  const { type } = schema
  const keys = Object.keys(schema)
  if (type === undefined && keys.length > 0 && !keys.some((key) => KEYWORDS.has(key))) {
    return `${listOf(keys)} ${keys.length === 1 ? 'is not a keyword' : 'are not keywords'} of JSON Schema; put the arguments into { type: 'object', properties: { … } }`
  }
  if (TYPES.has(type) && type !== 'object') {
    return `their \`type\` is '${String(type)}'; the arguments of a call are an object: write { type: 'object', properties: { … } }`
  }
  return problemOf(schema, [])
}

const listOf = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(', ')

/** Looks a schema and those inside it over; `above` are those it is in, since a schema may hold itself. */
function problemOf(schema: unknown, path: readonly string[], above: readonly unknown[] = []): string | undefined {
  if (typeof schema === 'boolean' || above.includes(schema)) return undefined
  const where = path.length > 0 ? `\`${path.join('.')}\`` : 'the schema'
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return `${where} is not a schema; give an object such as { type: 'string' }`
  }
  const its = schema as Readonly<Record<string, unknown>>
  const own = ownProblem(its, where)
  if (own !== undefined) return own
  for (const [inner, step] of innerSchemas(its)) {
    const problem = problemOf(inner, [...path, ...step], [...above, schema])
    if (problem !== undefined) return problem
  }
  return undefined
}

function ownProblem(its: Readonly<Record<string, unknown>>, where: string): string | undefined {
  const { type, required, properties } = its
  const wrong = [type ?? []].flat().find((each) => !TYPES.has(each))
  if (wrong !== undefined) {
    const near = typeof wrong === 'string' ? nearestName(wrong, TYPES as ReadonlySet<string>, true) : undefined
    return `the \`type\` of ${where} is ${JSON.stringify(wrong)}; ${near ? `did you mean '${near}'?` : `give one of ${[...TYPES].join(', ')}`}`
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string'))) {
    return `\`required\` of ${where} is not a list of names; write it beside \`properties\`, as in required: ['city']`
  }
  if (
    properties !== undefined &&
    (typeof properties !== 'object' || properties === null || Array.isArray(properties))
  ) {
    return `\`properties\` of ${where} is not an object; give a schema by name, as in { city: { type: 'string' } }`
  }
  for (const key of Object.keys(its)) {
    if (KEYWORDS.has(key)) continue
    const near = nearestName(key, KEYWORDS)
    if (near) return `${where} has an unknown keyword \`${key}\`; did you mean \`${near}\`?`
  }
  return undefined
}

function innerSchemas(its: Readonly<Record<string, unknown>>): [schema: unknown, step: readonly string[]][] {
  const one = ONE.flatMap((key): [unknown, string[]][] =>
    its[key] === undefined || Array.isArray(its[key]) ? [] : [[its[key], [key]]],
  )
  const several = [...BY_NAME, ...SEVERAL].flatMap((key) =>
    Object.entries(its[key] ?? {}).map(([name, inner]): [unknown, string[]] => [inner, [key, name]]),
  )
  return [...one, ...several]
}
