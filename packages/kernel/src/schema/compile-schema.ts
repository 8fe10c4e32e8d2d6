import type { JsonSchema } from '@x/interfaces'
import { LinearPattern } from './linear-pattern.ts'

/** An object of a schema, whose keywords may have any value: it may come from a server, a model or a record. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** A schema that was read once: all that a check needs beside the schema itself. */
export interface CompiledSchema {
  readonly root: JsonSchema
  /** The schemas that references lead to, by the schema with the reference. */
  readonly targets: ReadonlyMap<SchemaObject, unknown>
  /** Returns one of its patterns. */
  pattern(source: string): LinearPattern
  /** True if the schema asks which properties or items other keywords have seen. */
  readonly tracksEvaluated: boolean
}

/** Most schemas inside each other. */
const MAX_SCHEMA_DEPTH = 100

/** Most schemas in a schema. */
const MAX_SCHEMAS = 20_000

/** Most states of all patterns of a schema. */
const MAX_PATTERN_STATES = 50_000

/** Keywords that hold a schema, a list of schemas, or schemas by name. */
const ONE =
  `items additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames not if
  then else`.split(/\s+/u)
const LIST = ['prefixItems', 'items', 'allOf', 'anyOf', 'oneOf']
const BY_NAME = ['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas', 'dependencies']

/** Address of a schema without an `$id`. */
const ROOT_ADDRESS = 'json-schema://root/'

/** Tells an object from a list and from null. */
export const isObject = (value: unknown): value is SchemaObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the list that a keyword holds; an empty one in place of another value. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : NONE)

/** Returns the entries of the object that a keyword holds; none in place of another value. */
export const entriesIn = (value: unknown): readonly (readonly [name: string, value: unknown])[] =>
  isObject(value) ? Object.entries(value) : NONE

/** Shared: most keywords are absent from most schemas. */
const NONE: readonly never[] = []

/** A schema that is to be read, and where it stands. */
interface Place {
  readonly schema: unknown
  readonly depth: number
  /** Address that references are relative to. */
  readonly base: string
}

/** Reads a schema; returns a text that says why it cannot be checked against. The schema is not changed. */
export function compileSchema(root: JsonSchema): CompiledSchema | string {
  const compiled = new SchemaCompiler(root)
  return compiled.problem ?? compiled
}

class SchemaCompiler implements CompiledSchema {
  readonly root: JsonSchema
  readonly targets = new Map<SchemaObject, unknown>()
  tracksEvaluated = false
  problem: string | undefined
  readonly #patterns = new Map<string, LinearPattern>()
  readonly #seen = new Set<unknown>()
  /** Schemas by the address of their `$id` or `$anchor`. */
  readonly #addresses = new Map<string, unknown>()
  #references: { readonly from: SchemaObject; readonly reference: string; readonly place: Place }[] = []
  #patternStates = 0

  constructor(root: JsonSchema) {
    this.root = root
    this.#addresses.set(ROOT_ADDRESS, root)
    this.#read({ schema: root, depth: 1, base: ROOT_ADDRESS })
    while (this.problem === undefined && this.#references.length > 0) {
      const references = this.#references
      this.#references = []
      for (const each of references) this.#follow(each)
    }
  }

  pattern(source: string): LinearPattern {
    return this.#patterns.get(source)!
  }

  /** Reads a schema and those inside it, without recursion: it may be deep. */
  #read(first: Place): void {
    const open: Place[] = [first]
    for (let place = open.pop(); place && this.problem === undefined; place = open.pop()) {
      const { schema, depth } = place
      if (!isObject(schema) || this.#seen.has(schema)) continue
      this.#seen.add(schema)
      if (depth > MAX_SCHEMA_DEPTH) this.problem = `it has more than ${MAX_SCHEMA_DEPTH} schemas inside each other`
      if (this.#seen.size > MAX_SCHEMAS) this.problem = `it has more than ${MAX_SCHEMAS} schemas`
      const base = this.#name(schema, place.base)
      this.#note(schema, { schema, depth, base })
      for (const inner of innerSchemas(schema)) open.push({ schema: inner, depth: depth + 1, base })
    }
  }

  /** Notes the addresses of a schema; returns the one that its references are relative to. */
  #name(schema: SchemaObject, base: string): string {
    const { $id: id = schema['id'], $anchor: anchor, $dynamicAnchor: dynamic } = schema
    let own = base
    if (typeof id === 'string') {
      const address = addressOf(id, base)
      if (address !== undefined) {
        this.#addresses.set(address, schema)
        if (!address.includes('#')) own = address
      }
    }
    for (const name of [anchor, dynamic]) if (typeof name === 'string') this.#addresses.set(`${own}#${name}`, schema)
    return own
  }

  /** Notes the patterns and references of a schema. */
  #note(schema: SchemaObject, place: Place): void {
    const { pattern, $ref, $dynamicRef, $recursiveRef } = schema
    if (typeof pattern === 'string') this.#notePattern(pattern)
    for (const [source] of entriesIn(schema['patternProperties'])) this.#notePattern(source)
    this.tracksEvaluated ||= 'unevaluatedItems' in schema || 'unevaluatedProperties' in schema
    const reference = [$ref, $dynamicRef, $recursiveRef].find((each) => typeof each === 'string')
    if (reference !== undefined) this.#references.push({ from: schema, reference, place })
  }

  #notePattern(source: string): void {
    if (this.#patterns.has(source)) return
    try {
      const pattern = new LinearPattern(source)
      this.#patterns.set(source, pattern)
      this.#patternStates += pattern.size
      if (this.#patternStates > MAX_PATTERN_STATES) {
        this.problem ??= `its patterns have more than ${MAX_PATTERN_STATES} states; give shorter repetitions`
      }
    } catch (error) {
      this.problem ??= `the pattern ${JSON.stringify(source.slice(0, 200))} ${(error as Error).message}`
    }
  }

  /** Finds the schema that a reference leads to, and reads it if it stands where no schema is looked for. */
  #follow({ from, reference, place }: { from: SchemaObject; reference: string; place: Place }): void {
    const found = this.#find(reference, place.base)
    if (found === undefined) {
      this.problem ??= `the reference ${JSON.stringify(reference.slice(0, 200))} leads to no schema in it`
      return
    }
    this.targets.set(from, found)
    this.#read({ ...place, schema: found, depth: 1 })
  }

  #find(reference: string, base: string): unknown {
    const address = addressOf(reference, base)
    if (address === undefined) return undefined
    const [resource = '', fragment = ''] = address.split('#')
    return this.#addresses.get(address) ?? atPointer(this.#addresses.get(resource), fragment)
  }
}

/** An address relative to another, without an empty fragment; undefined for a broken one. */
function addressOf(reference: string, base: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined
  return new URL(reference, base).href.replace(/#$/u, '')
}

/** Finds the part of a schema at a JSON pointer. */
function atPointer(root: unknown, pointer: string): unknown {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined
  let found = root
  for (const step of pointer.split('/').slice(1)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function innerSchemas(schema: SchemaObject): unknown[] {
  return [
    ...ONE.map((key) => schema[key]),
    ...LIST.flatMap((key) => listIn(schema[key])),
    ...BY_NAME.flatMap((key) => entriesIn(schema[key]).map(([, inner]) => inner)),
  ]
}
