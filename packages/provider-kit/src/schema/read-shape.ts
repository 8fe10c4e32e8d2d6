import { isRecord, listOf, recordOf } from '../json/wire-values.ts'
import { alternativesOf, hasEqual, isBare, UNMERGED, type Schema } from './merge-schemas.ts'

/** Fields of every shape. */
interface ShapeNotes {
  /** Place in the schema, as a JSON pointer. */
  readonly path: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** Rules beside the form, by keyword. */
  readonly limits: Readonly<Record<string, unknown>>
}

/** A property of an object. */
export interface PropertyShape {
  readonly shape: Shape
  readonly required: boolean
}

/** The form of the values of a schema, without the many ways to write it. */
export type Shape = ShapeNotes &
  (
    | { readonly kind: 'any' }
    | { readonly kind: 'scalar'; readonly types: readonly string[] }
    /** `types` are those of the schema, where it names some. */
    | { readonly kind: 'choice'; readonly values: readonly unknown[]; readonly types: readonly string[] | undefined }
    | { readonly kind: 'list'; readonly items: Shape }
    | {
        readonly kind: 'tuple'
        readonly items: readonly Shape[]
        readonly least: number
        readonly rest: Shape | undefined
      }
    | {
        readonly kind: 'object'
        readonly properties: ReadonlyMap<string, PropertyShape>
        /** Values of further names; undefined if there are none. */
        readonly rest: Shape | undefined
        /** Rules for the further names. */
        readonly names: Shape | undefined
        /** Whether the schema says that there are no further names. */
        readonly closed: boolean
      }
    /** `sources` are the schemas of the options. */
    | { readonly kind: 'union'; readonly options: readonly Shape[]; readonly sources: readonly unknown[] }
    | { readonly kind: 'reference'; readonly name: string }
  )

/** A shape of one kind. */
export type ShapeOf<K extends Shape['kind']> = Extract<Shape, { kind: K }>

/** Most schemas inside each other, and most of one schema, that are read; what is beyond them may be any value. */
const MAX_DEPTH = 60
const MAX_SHAPES = 20_000

const LIST_LIMITS = 'minItems maxItems uniqueItems contains minContains maxContains unevaluatedItems'.split(' ')
const OBJECT_LIMITS = 'minProperties maxProperties dependentRequired dependentSchemas dependencies'.split(' ')
const TEXT_LIMITS = 'minLength maxLength pattern format contentEncoding contentMediaType'.split(' ')
const NUMBER_LIMITS = 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' ')
const GENERAL_LIMITS = ['not', 'if', 'then', 'else']

/** A schema that references lead to. */
interface Definition {
  readonly name: string
  readonly schema: unknown
  readonly path: string
  shape: Shape | undefined
}

/** Reads a JSON Schema into shapes. */
export class ShapeReader {
  readonly #root: unknown
  readonly #definitions = new Map<unknown, Definition>()
  readonly #byName = new Map<string, Definition>()
  #count = 0

  constructor(root: unknown) {
    this.#root = root
  }

  /** Returns the shape of a schema. */
  read(schema: unknown, path: string, depth = 0): Shape {
    const { title, description } = recordOf(schema)
    const notes = { path, ...(isText(title) && { title }), ...(isText(description) && { description }), limits: {} }
    if (depth > MAX_DEPTH || ++this.#count > MAX_SHAPES) return { ...notes, kind: 'any', limits: { depth: MAX_DEPTH } }
    if (!isRecord(schema)) {
      return schema === false ? { ...notes, kind: 'union', options: [], sources: [] } : { ...notes, kind: 'any' }
    }
    const { $ref: ref, allOf, anyOf, oneOf } = schema
    const [only] = listOf(allOf)
    if (typeof ref === 'string' && isBare(schema, '$ref')) return this.#reference(ref, notes)
    if (listOf(allOf).length === 1 && isBare(schema, 'allOf')) {
      return { ...this.read(only, `${path}/allOf/0`, depth + 1), ...notes, limits: {} }
    }
    const key = anyOf === undefined ? 'oneOf' : 'anyOf'
    const group = schema[key]
    if (Array.isArray(group) && isBare(schema, key)) {
      return unionOf(
        group.map((each: unknown, at) => [this.read(each, `${path}/${key}/${at}`, depth + 1), each]),
        notes,
      )
    }
    const own = [ref, allOf, anyOf, oneOf].every((each) => each === undefined) ? 0 : depth + 1
    const alternatives = withoutTwins(alternativesOf(schema, (target) => this.#target(target)?.schema))
    return unionOf(
      alternatives.map((each) => [
        this.#readPlain(each, alternatives.length === 1 ? notes : { path, limits: {} }, own || depth),
        each,
      ]),
      notes,
    )
  }

  /** Returns the shape that a reference leads to. */
  definition(name: string): Shape {
    const found = this.#byName.get(name)!
    return (found.shape ??= this.read(found.schema, found.path))
  }

  /** Finds the schema that a reference leads to, for checks of values. */
  readonly resolve = (ref: string): unknown => this.#target(ref)?.schema

  #reference(ref: string, notes: ShapeNotes): Shape {
    const found = this.#target(ref)
    return found ? { ...notes, kind: 'reference', name: found.name } : { ...notes, kind: 'any', limits: { $ref: ref } }
  }

  #target(ref: string): Definition | undefined {
    let schema: unknown = this.#root
    let at = ref
    // A reference may lead to another one.
    for (let step = 0; step < MAX_DEPTH; step++) {
      schema = pointedAt(this.#root, at)
      if (!isRecord(schema) || typeof schema['$ref'] !== 'string' || !isBare(schema, '$ref')) break
      at = schema['$ref']
    }
    if (schema === undefined) return undefined
    const known = this.#definitions.get(schema)
    if (known) return known
    const last = at === '#' ? 'root' : at.slice(at.lastIndexOf('/') + 1)
    const base = last.replaceAll(/[^\w-]/gu, '_') || 'part'
    let name = base
    for (let n = 2; this.#byName.has(name); n++) name = `${base}_${n}`
    const definition: Definition = { name, schema, path: at, shape: undefined }
    this.#definitions.set(schema, definition)
    this.#byName.set(name, definition)
    return definition
  }

  /** Reads a schema without references and combinations. */
  #readPlain(schema: Schema, notes: ShapeNotes, depth: number): Shape {
    const { type, const: fixed, enum: values } = schema
    const types = Array.isArray(type) ? (type as string[]) : [type ?? impliedType(schema)]
    if (fixed !== undefined || Array.isArray(values)) {
      const all =
        fixed === undefined ? listOf(values) : !Array.isArray(values) || hasEqual(values, fixed) ? [fixed] : []
      const fitting = type === undefined ? all : all.filter((value) => types.some((name) => isOfType(value, name)))
      return {
        ...notes,
        kind: 'choice',
        values: fitting,
        types: type === undefined ? undefined : (types as string[]),
        limits: limitsIn(schema, []),
      }
    }
    if (types[0] === 'object') return this.#readObject(schema, notes, depth)
    if (types[0] === 'array') return this.#readList(schema, notes, depth)
    if (types[0] === undefined) {
      const limits = limitsIn(schema, [...TEXT_LIMITS, ...NUMBER_LIMITS, ...LIST_LIMITS, ...OBJECT_LIMITS])
      return { ...notes, kind: 'any', limits }
    }
    const keys = [
      ...(types.includes('string') ? TEXT_LIMITS : []),
      ...(types.some((name) => name === 'number' || name === 'integer') ? NUMBER_LIMITS : []),
    ]
    return { ...notes, kind: 'scalar', types: types as string[], limits: limitsIn(schema, keys) }
  }

  #readList(schema: Schema, notes: ShapeNotes, depth: number): Shape {
    const { items, prefixItems, additionalItems, minItems } = schema
    const first = Array.isArray(items) ? (items as unknown[]) : listOf(prefixItems)
    const restKey = Array.isArray(items) ? 'additionalItems' : 'items'
    const rest = restKey === 'items' ? items : additionalItems
    const firstKey = Array.isArray(items) ? 'items' : 'prefixItems'
    if (first.length === 0) {
      return {
        ...notes,
        kind: 'list',
        items: this.read(rest ?? {}, `${notes.path}/items`, depth + 1),
        limits: limitsIn(schema, LIST_LIMITS),
      }
    }
    const { minItems: _, maxItems, ...limits } = limitsIn(schema, LIST_LIMITS)
    const least = typeof minItems === 'number' ? Math.min(minItems, first.length) : first.length
    const needed = typeof minItems === 'number' && minItems > first.length ? { minItems: minItems - first.length } : {}
    const isOpen = rest !== undefined && rest !== false
    const allowed = isOpen && typeof maxItems === 'number' ? { maxItems: Math.max(0, maxItems - first.length) } : {}
    return {
      ...notes,
      kind: 'tuple',
      items: first.map((each, at) => this.read(each, `${notes.path}/${firstKey}/${at}`, depth + 1)),
      least,
      rest: isOpen ? this.read(rest, `${notes.path}/${restKey}`, depth + 1) : undefined,
      limits: { ...limits, ...needed, ...allowed },
    }
  }

  #readObject(schema: Schema, notes: ShapeNotes, depth: number): Shape {
    const { properties, required, additionalProperties, patternProperties, propertyNames, unevaluatedProperties } =
      schema
    const next = (part: unknown, step: string): Shape => this.read(part, `${notes.path}/${step}`, depth + 1)
    const needed = new Set(listOf(required).filter(isText))
    const shapes = new Map<string, PropertyShape>()
    for (const [name, part] of Object.entries(recordOf(properties))) {
      shapes.set(name, { shape: next(part, `properties/${stepOf(name)}`), required: needed.has(name) })
    }
    const patterns = Object.values(recordOf(patternProperties))
    const isOpen =
      additionalProperties === undefined
        ? properties === undefined && patterns.length === 0
        : additionalProperties !== false
    const others =
      isOpen && unevaluatedProperties !== false ? [additionalProperties ?? unevaluatedProperties ?? true] : []
    const kinds = [...patterns, ...others]
    let rest =
      kinds.length === 0 ? undefined : next(kinds.length === 1 ? kinds[0] : { anyOf: kinds }, 'additionalProperties')
    let names = rest && isRecord(propertyNames) ? next(propertyNames, 'propertyNames') : undefined
    if (rest && names?.kind === 'choice') {
      for (const name of names.values) {
        if (isText(name) && !shapes.has(name)) shapes.set(name, { shape: rest, required: needed.has(name) })
      }
      rest = names = undefined
    }
    for (const name of needed) {
      if (shapes.has(name)) continue
      shapes.set(name, { shape: rest ?? next({}, `properties/${stepOf(name)}`), required: true })
    }
    const limits = limitsIn(schema, patterns.length > 0 ? [...OBJECT_LIMITS, 'patternProperties'] : OBJECT_LIMITS)
    return {
      ...notes,
      kind: 'object',
      properties: shapes,
      rest,
      names,
      closed: additionalProperties === false && !rest,
      limits,
    }
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

const stepOf = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Follows a JSON pointer; undefined where it leads nowhere. */
function pointedAt(root: unknown, ref: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined
  let at = root
  for (const step of ref.split('/').slice(1)) {
    const key = unescaped(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** The type of a schema that does not say it, where its keywords are those of one type. */
function impliedType(schema: Schema): string | undefined {
  if (['properties', 'required', 'additionalProperties', 'patternProperties'].some((key) => key in schema))
    return 'object'
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined
}

/** Tells whether a value is of a type of JSON Schema. */
export function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/** Bounds of whole numbers that a library writes for every one of them. */
const isNoBound = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER

function limitsIn(schema: Schema, keys: readonly string[]): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const key of [...keys, ...GENERAL_LIMITS]) {
    const value = schema[key]
    if (value !== undefined && value !== false && !isNoBound(value)) out[key] = value
  }
  for (const key of listOf(schema[UNMERGED])) out[`${String(key)} `] = 'in part'
  return out
}

/** Makes one schema of alternatives that differ in required properties alone: it requires what all require. */
function withoutTwins(alternatives: readonly Schema[]): readonly Schema[] {
  const [first, ...others] = alternatives
  if (!first || others.length === 0) return alternatives
  const text = (schema: Schema): string => JSON.stringify({ ...schema, required: undefined })
  const own = text(first)
  if (others.some((each) => text(each) !== own)) return alternatives
  const required = listOf(first['required']).filter((name) =>
    others.every((each) => listOf(each['required']).includes(name)),
  )
  return [{ ...first, required, [UNMERGED]: [...listOf(first[UNMERGED]), 'anyOf'] }]
}

/** Returns a union without unions inside; one option stands alone. */
function unionOf(options: readonly (readonly [Shape, unknown])[], notes: ShapeNotes): Shape {
  const flat = options.flatMap(([shape, source]): (readonly [Shape, unknown])[] =>
    shape.kind === 'union' && Object.keys(shape.limits).length === 0
      ? shape.options.map((each, at) => [each, shape.sources[at]])
      : [[shape, source]],
  )
  const [first] = flat
  if (flat.length === 1) {
    const { title = first![0].title, description = first![0].description } = notes
    return { ...first![0], title, description }
  }
  return { ...notes, kind: 'union', options: flat.map(([shape]) => shape), sources: flat.map(([, source]) => source) }
}
