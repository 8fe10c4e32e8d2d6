import { isRecord } from '../json/wire-values.ts'
import { listIn } from './merge-schemas.ts'

/** Size of a schema as vendors limit it. */
export interface SchemaSize {
  /** Properties of all objects together. */
  readonly properties: number
  /** Objects inside each other; one that holds itself counts once. */
  readonly depth: number
  /** Values of all enumerations together. */
  readonly enumValues: number
  /** Characters of the values of the largest enumeration of more than 250 values. */
  readonly longEnum: number
  /** Characters of the names of properties and definitions, and of the values of enumerations. */
  readonly characters: number
  /** Place of the part with most properties or values, as a JSON pointer. */
  readonly largest: string
}

/** Values of an enumeration above which a vendor limits their characters, too. */
const LONG_ENUM_VALUES = 250

/** Measures a schema of `properties`, `items`, `prefixItems`, `additionalProperties`, `anyOf` and `$defs`. */
export function measureSchema(root: Readonly<Record<string, unknown>>): SchemaSize {
  let properties = 0
  let enumValues = 0
  let characters = 0
  let longEnum = 0
  let largest = '#'
  let most = 0
  const note = (count: number, path: string): void => {
    if (count > most) [most, largest] = [count, path]
  }
  const definitions = isRecord(root['$defs']) ? root['$defs'] : {}
  const depths = new Map<string, number>()

  /** Returns the number of objects inside each other. */
  const visit = (schema: unknown, path: string): number => {
    if (!isRecord(schema)) return 0
    const {
      $ref: ref,
      properties: own,
      enum: values,
      const: fixed,
      items,
      prefixItems,
      additionalProperties,
      anyOf,
    } = schema
    if (typeof ref === 'string') return depthOf(ref.slice(ref.lastIndexOf('/') + 1))
    const choices = fixed === undefined ? listIn(values) : [fixed]
    enumValues += listIn(values).length
    note(choices.length, path)
    const ownCharacters = choices.reduce<number>((sum, value) => sum + String(value).length, 0)
    characters += ownCharacters
    if (choices.length > LONG_ENUM_VALUES) longEnum = Math.max(longEnum, ownCharacters)
    const named = Object.entries(isRecord(own) ? own : {})
    properties += named.length
    note(named.length, path)
    for (const [name] of named) characters += name.length
    const parts: [unknown, string][] = [
      ...named.map(([name, part]): [unknown, string] => [part, `properties/${name}`]),
      [items, 'items'],
      [additionalProperties, 'additionalProperties'],
      ...listIn(prefixItems).map((part, at): [unknown, string] => [part, `prefixItems/${at}`]),
      ...listIn(anyOf).map((part, at): [unknown, string] => [part, `anyOf/${at}`]),
    ]
    let inner = 0
    for (const [part, step] of parts) inner = Math.max(inner, visit(part, `${path}/${step}`))
    return inner + (schema['type'] === 'object' || own !== undefined ? 1 : 0)
  }
  const depthOf = (name: string): number => {
    const known = depths.get(name)
    if (known !== undefined) return known
    depths.set(name, 0)
    const depth = visit(definitions[name], `#/$defs/${name}`)
    depths.set(name, depth)
    return depth
  }
  for (const name of Object.keys(definitions)) {
    characters += name.length
    depthOf(name)
  }
  return { depth: visit(root, '#'), properties, enumValues, longEnum, characters, largest }
}
