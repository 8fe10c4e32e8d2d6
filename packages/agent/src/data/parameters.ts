import type { JsonSchema, MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { nearestName } from '@x/kernel/options'
import { problemOfSchema } from '@x/kernel/schema'

/** The part of Standard Schema (https://standardschema.dev) that a tool needs. */
export interface StandardSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => MaybePromise<
      | { readonly value: T; readonly issues?: undefined }
      | {
          readonly issues: readonly {
            readonly message: string
            readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
          }[]
        }
    >
    readonly types?: { readonly input: unknown; readonly output: T } | undefined
    /** Standard JSON Schema: gives the schema of what goes in. */
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> } | undefined
  }
}

/** The description of the arguments of a tool: zod or another Standard Schema, or plain JSON Schema. */
export type Parameters = StandardSchema | JsonSchema

/** The arguments that `execute` gets for these parameters. */
export type OutputOf<P> = P extends {
  readonly '~standard': { readonly types?: { readonly output: infer T } | undefined }
}
  ? T
  : Record<string, unknown>

/** The values that fit parameters, before they are checked. */
export type InputOf<P> = P extends {
  readonly '~standard': { readonly types?: { readonly input: infer T } | undefined }
}
  ? T
  : Record<string, unknown>

/** Tells a Standard Schema from a plain JSON Schema. */
export const isStandardSchema = <P extends Parameters>(parameters: P): parameters is P & StandardSchema<OutputOf<P>> =>
  '~standard' in parameters

/** JSON Schemas of Standard Schemas, which do not change. */
const knownSchemas = new WeakMap<object, JsonSchema>()

/** The JSON Schema of parameters, as a model is told of them. */
export function schemaOf(parameters: Parameters, name: string): JsonSchema {
  if (!isStandardSchema(parameters)) return parameters
  const known = knownSchemas.get(parameters)
  if (known) return known
  const { jsonSchema, vendor } = parameters['~standard']
  const schema = readSchema(name, () => jsonSchema?.input({ target: 'draft-2020-12' }) ?? ownJsonSchema(parameters))
  if (!schema) {
    throw new XError(
      'invalid-argument',
      `the parameters of the tool \`${name}\`, of \`${vendor}\`, give no JSON Schema: use a version that does, or write one`,
    )
  }
  const { $schema: _, ...rest } = schema
  knownSchemas.set(parameters, rest)
  return rest
}

/** Reads a schema; a library refuses what JSON Schema cannot express, such as dates. */
function readSchema<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new XError(
      'invalid-argument',
      `the parameters of the tool \`${name}\` have no JSON Schema: ${reason}; use types that JSON has`,
      { cause },
    )
  }
}

/** The schema of a library whose values bring a `toJSONSchema` of their own. */
function ownJsonSchema(parameters: object): Record<string, unknown> | undefined {
  const { toJSONSchema } = parameters as { toJSONSchema?: (options: object) => Record<string, unknown> }
  return toJSONSchema?.call(parameters, { io: 'input' })
}

const JSON_TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Keywords that hold one schema, several by name, or several in a list. */
const SINGLE_SCHEMA_KEYWORDS = [
  'items',
  'additionalProperties',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
] as const
const SCHEMA_MAP_KEYWORDS = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'] as const
const SCHEMA_LIST_KEYWORDS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/** Keywords of JSON Schema and of OpenAPI; others pass unless they look like a misspelling of one of these. */
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  ...SINGLE_SCHEMA_KEYWORDS,
  ...SCHEMA_MAP_KEYWORDS,
  ...SCHEMA_LIST_KEYWORDS,
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
  const whole = wholeOf(schema)
  if (whole !== undefined) return `they are an object of schemas; put them into ${whole}`
  if (type === undefined && keys.length > 0 && !keys.some((key) => SCHEMA_KEYWORDS.has(key))) {
    return `${listOf(keys)} ${keys.length === 1 ? 'is not a keyword' : 'are not keywords'} of JSON Schema; put the arguments into { type: 'object', properties: { … } }`
  }
  if (JSON_TYPES.has(type) && type !== 'object') {
    return `their \`type\` is '${String(type)}'; the arguments of a call are an object: write { type: 'object', properties: { … } }`
  }
  return problemOf(schema, [], new Set())
}

/** Says what is wrong with the schema of a result, and what to write; undefined for nothing. */
export function problemOfResult(schema: JsonSchema): string | undefined {
  const keys = Object.keys(schema)
  const whole = wholeOf(schema)
  if (whole !== undefined) return `it is an object of schemas; put them into ${whole}`
  if (keys.length > 0 && !keys.some((key) => SCHEMA_KEYWORDS.has(key))) {
    return `${listOf(keys)} ${keys.length === 1 ? 'is no keyword' : 'are no keywords'} of JSON Schema; give the schema itself, such as { type: 'object', properties: { … } }`
  }
  // A deep schema is refused before it is looked over, which takes stack for each level.
  return problemOfSchema(schema) ?? problemInside(schema)
}

/** Texts of schemas of results without a problem, by their objects: a program gives the same one in many runs. */
const soundSchemas = new WeakMap<JsonSchema, string>()

function problemInside(schema: JsonSchema): string | undefined {
  const text = jsonText(schema)
  if (text !== null && soundSchemas.get(schema) === text) return undefined
  const problem = problemOf(schema, [], new Set())
  if (text !== null && problem === undefined) soundSchemas.set(schema, text)
  return problem
}

/** The JSON text of a schema; null for one that holds itself, or is a function. */
function jsonText(schema: JsonSchema): string | null {
  try {
    return JSON.stringify(schema) ?? null
  } catch {
    return null
  }
}

/** How an object of schemas of a library is made one schema; undefined for a schema. */
function wholeOf(schema: JsonSchema): string | undefined {
  const shaped = Object.keys(schema).find((key) => vendorOf(schema[key]) !== undefined)
  if (shaped === undefined) return undefined
  const whole = vendorOf(schema[shaped]) === 'zod' ? 'z.object' : 'the object schema of that library: object'
  return `${whole}({ ${shaped}: … })`
}

/** The library that a Standard Schema comes from; undefined for another value. */
const vendorOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? (value as Partial<StandardSchema>)['~standard']?.vendor : undefined

const listOf = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(', ')

/** Looks a schema and those inside it over, each once, since a schema may hold itself. */
function problemOf(schema: unknown, path: readonly string[], seen: Set<unknown>): string | undefined {
  if (typeof schema === 'boolean' || seen.has(schema)) return undefined
  seen.add(schema)
  const where = path.length > 0 ? `\`${path.join('.')}\`` : 'the schema'
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    const what = typeof schema === 'function' ? 'a function' : 'not a schema'
    return `${where} is ${what}; give an object such as { type: 'string' }`
  }
  if (vendorOf(schema) !== undefined) {
    return `${where} is a schema of a library in a JSON Schema; write all of it with that library, or its JSON Schema there`
  }
  const keywords = schema as Readonly<Record<string, unknown>>
  const ownText = ownProblem(keywords, where)
  if (ownText !== undefined) return ownText
  for (const [inner, step] of innerSchemas(keywords)) {
    const problem = problemOf(inner, [...path, ...step], seen)
    if (problem !== undefined) return problem
  }
  return undefined
}

function ownProblem(schema: Readonly<Record<string, unknown>>, where: string): string | undefined {
  const { type, required, properties } = schema
  const wrong = [type ?? []].flat().find((each) => !JSON_TYPES.has(each))
  if (wrong !== undefined) {
    const near = typeof wrong === 'string' ? nearestName(wrong, JSON_TYPES as ReadonlySet<string>, true) : undefined
    return `the \`type\` of ${where} is ${JSON.stringify(wrong)}; ${near ? `did you mean '${near}'?` : `give one of ${[...JSON_TYPES].join(', ')}`}`
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
  for (const key of Object.keys(schema)) {
    if (SCHEMA_KEYWORDS.has(key)) continue
    const near = nearestName(key, SCHEMA_KEYWORDS)
    if (near) return `${where} has an unknown keyword \`${key}\`; did you mean \`${near}\`?`
  }
  return undefined
}

function innerSchemas(schema: Readonly<Record<string, unknown>>): [schema: unknown, step: readonly string[]][] {
  const one = SINGLE_SCHEMA_KEYWORDS.flatMap((key): [unknown, string[]][] =>
    schema[key] === undefined || Array.isArray(schema[key]) ? [] : [[schema[key], [key]]],
  )
  const several = [...SCHEMA_MAP_KEYWORDS, ...SCHEMA_LIST_KEYWORDS].flatMap((key) =>
    Object.entries(schema[key] ?? {}).map(([name, inner]): [unknown, string[]] => [inner, [key, name]]),
  )
  return [...one, ...several]
}
