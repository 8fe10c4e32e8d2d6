import { isRecord, listOf, recordOf } from '../json/wire-values.ts'

/** Size of a schema as vendors limit it. */
export interface SchemaSize {
  /** Properties of all objects together. */
  readonly properties: number
  /** Objects inside each other; one that holds itself counts once. */
  readonly depth: number
  /** Values of all enumerations together. */
  readonly enumValues: number
  /** Characters of the largest enumeration of more than 250 values. */
  readonly longEnum: number
  /** Characters of all names of properties and definitions, and all enumerated values. */
  readonly characters: number
  /** JSON pointer to the part with most properties or values. */
  readonly largest: string
}

/** Values of an enumeration above which their characters are limited too. */
const LONG_ENUM_VALUES = 250

/** Measures a schema of `properties`, `items`, `prefixItems`, `additionalProperties`, `anyOf` and `$defs`. */
export function measureSchema(root: Readonly<Record<string, unknown>>): SchemaSize {
  return new SchemaMeasure(root).size()
}

class SchemaMeasure {
  readonly #root: Readonly<Record<string, unknown>>
  readonly #definitions: Readonly<Record<string, unknown>>
  /** Objects inside each other by definition; 0 while it is measured. */
  readonly #depths = new Map<string, number>()
  #properties = 0
  #enumValues = 0
  #characters = 0
  #longEnum = 0
  #largest = '#'
  #most = 0

  constructor(root: Readonly<Record<string, unknown>>) {
    this.#root = root
    this.#definitions = recordOf(root['$defs'])
  }

  size(): SchemaSize {
    for (const name of Object.keys(this.#definitions)) {
      this.#characters += name.length
      this.#depthOf(name)
    }
    const depth = this.#visit(this.#root, '#')
    return {
      depth,
      properties: this.#properties,
      enumValues: this.#enumValues,
      longEnum: this.#longEnum,
      characters: this.#characters,
      largest: this.#largest,
    }
  }

  #depthOf(name: string): number {
    const known = this.#depths.get(name)
    if (known !== undefined) return known
    this.#depths.set(name, 0)
    const depth = this.#visit(this.#definitions[name], `#/$defs/${name}`)
    this.#depths.set(name, depth)
    return depth
  }

  /** Counts what is in a schema; returns the number of objects inside each other. */
  #visit(schema: unknown, path: string): number {
    if (!isRecord(schema)) return 0
    const { $ref: ref, type, properties, items, prefixItems, additionalProperties, anyOf } = schema
    if (typeof ref === 'string') return this.#depthOf(ref.slice(ref.lastIndexOf('/') + 1))
    const named = Object.entries(recordOf(properties))
    this.#properties += named.length
    this.#note(named.length, path)
    for (const [name] of named) this.#characters += name.length
    this.#countChoices(schema, path)
    const parts: [unknown, string][] = [
      ...named.map(([name, part]): [unknown, string] => [part, `properties/${name}`]),
      [items, 'items'],
      [additionalProperties, 'additionalProperties'],
      ...listOf(prefixItems).map((part, at): [unknown, string] => [part, `prefixItems/${at}`]),
      ...listOf(anyOf).map((part, at): [unknown, string] => [part, `anyOf/${at}`]),
    ]
    let inner = 0
    for (const [part, step] of parts) inner = Math.max(inner, this.#visit(part, `${path}/${step}`))
    return inner + (type === 'object' || properties !== undefined ? 1 : 0)
  }

  #countChoices({ enum: values, const: fixed }: Readonly<Record<string, unknown>>, path: string): void {
    const choices = fixed === undefined ? listOf(values) : [fixed]
    this.#enumValues += listOf(values).length
    this.#note(choices.length, path)
    const characters = choices.reduce<number>((sum, value) => sum + String(value).length, 0)
    this.#characters += characters
    if (choices.length > LONG_ENUM_VALUES) this.#longEnum = Math.max(this.#longEnum, characters)
  }

  #note(count: number, path: string): void {
    if (count <= this.#most) return
    this.#most = count
    this.#largest = path
  }
}
