import { isRecord, listOf, recordOf } from '../json/wire-values.ts'
import { hasEqual, isBare, type Resolve, type Schema } from './merge-schemas.ts'
import { isOfType } from './read-shape.ts'

/** Most references that are followed in a row. */
const MAX_REFERENCES = 20

/** A part of a union: its schema as it is sent, and whether its values are sent in another form. */
interface SentOption {
  readonly schema: Schema
  readonly form: object | undefined
}

/** Tells whether no value that is sent can be one of both options, or both need no way back. */
export function isApart(one: SentOption, other: SentOption, resolve: Resolve): boolean {
  if (!one.form && !other.form) return true
  const others = plainOptions(other.schema, resolve)
  return plainOptions(one.schema, resolve).every((first) => others.every((second) => areApart(first, second)))
}

/** Returns the schemas of one type that a schema stands for. */
function plainOptions(schema: Schema, resolve: Resolve, depth = 0): Schema[] {
  const { $ref: ref, anyOf } = schema
  if (depth > MAX_REFERENCES) return [{}]
  if (typeof ref === 'string') {
    const target = resolve(ref)
    // One that is still being made may be anything.
    return isRecord(target) ? plainOptions(target, resolve, depth + 1) : [{}]
  }
  if (!Array.isArray(anyOf)) return [schema]
  return anyOf.flatMap((each) => plainOptions(recordOf(each), resolve, depth + 1))
}

function areApart(one: Schema, other: Schema): boolean {
  const types = new Set(typesOf(one))
  const common = typesOf(other).filter((type) => types.has(type))
  if (common.length === 0 || choicesApart(one, other)) return true
  return common.every((type) => type === 'object') && (hasOwnKey(one, other) || hasOwnKey(other, one))
}

/** Types of a schema without null, which has the same form everywhere; all for a schema without a type. */
function typesOf({ type }: Schema): unknown[] {
  if (type === undefined) return ['string', 'number', 'boolean', 'array', 'object']
  return [type].flat().flatMap((name) => (name === 'null' ? [] : [name === 'integer' ? 'number' : name]))
}

function choicesOf(schema: unknown): unknown[] | undefined {
  if (!isRecord(schema)) return undefined
  const { const: fixed, enum: values } = schema
  return fixed === undefined ? (Array.isArray(values) ? values : undefined) : [fixed]
}

function choicesApart(one: unknown, other: unknown): boolean {
  const [first, second] = [choicesOf(one), choicesOf(other)]
  return !!first && !!second && !first.some((value) => hasEqual(second, value))
}

/** Tells whether one object needs a property that the other has not, or has with other values. */
function hasOwnKey({ properties: own, required }: Schema, { properties, additionalProperties }: Schema): boolean {
  const [first, second] = [recordOf(own), recordOf(properties)]
  return listOf(required).some((name) => {
    const key = String(name)
    return Object.hasOwn(second, key) ? choicesApart(first[key], second[key]) : additionalProperties === false
  })
}

/** Tells whether a schema that is sent allows null. */
export function acceptsNull(schema: unknown, resolve: Resolve, depth = 0): boolean {
  if (!isRecord(schema) || depth > MAX_REFERENCES) return false
  const { type, anyOf, nullable, $ref: ref } = schema
  if (typeof ref === 'string') return acceptsNull(resolve(ref), resolve, depth + 1)
  if (Array.isArray(anyOf)) return anyOf.some((each) => acceptsNull(each, resolve, depth + 1))
  return nullable === true || [type].flat().includes('null')
}

/** Tells by type, names and fixed values whether a value is one of a schema that is sent. */
export function looksLike(schema: unknown, value: unknown, resolve: Resolve, depth = 0): boolean {
  if (!isRecord(schema) || depth > MAX_REFERENCES) return true
  const { $ref: ref, anyOf, properties, required, additionalProperties, nullable } = schema
  if (value === null && nullable === true) return true
  if (typeof ref === 'string') return looksLike(resolve(ref), value, resolve, depth + 1)
  if (Array.isArray(anyOf)) return anyOf.some((each) => looksLike(each, value, resolve, depth + 1))
  if (!fitsType(schema, value) || !fitsChoices(schema, value)) return false
  if (!isRecord(value)) return true
  const known = recordOf(properties)
  if (listOf(required).some((name) => !Object.hasOwn(value, String(name)))) return false
  if (additionalProperties === false && Object.keys(value).some((name) => !Object.hasOwn(known, name))) return false
  return Object.entries(known).every(([name, part]) => {
    if (!isRecord(part) || !Object.hasOwn(value, name)) return true
    return fitsChoices(part, value[name]) || (value[name] === null && part['nullable'] === true)
  })
}

const fitsType = ({ type }: Schema, value: unknown): boolean =>
  type === undefined || [type].flat().some((name) => isOfType(value, name))

function fitsChoices(schema: Schema, value: unknown): boolean {
  const choices = choicesOf(schema)
  return !choices || hasEqual(choices, value)
}

/** Most nested schemas that a value is checked against. */
const MAX_FIT_DEPTH = 200

/** Surroundings of a schema that a value is checked against. */
interface FitPlace {
  readonly depth: number
  /** Whether other parts of a combination may name further properties. */
  readonly isOpen: boolean
}

const TOP: FitPlace = { depth: 0, isOpen: false }

/** Tells whether a value fits a schema, as far as it is about forms: types, names, fixed values. */
export function fits(schema: unknown, value: unknown, resolve: Resolve, { depth, isOpen }: FitPlace = TOP): boolean {
  if (!isRecord(schema) || depth > MAX_FIT_DEPTH) return schema !== false
  const { $ref: ref, allOf, anyOf, oneOf, nullable } = schema
  // What one part of a combination does not name, another part may.
  const isPart = isOpen || !isBareGroup(schema)
  const again = (each: unknown): boolean => fits(each, value, resolve, { depth: depth + 1, isOpen: isPart })
  const check: Check = (part, each) => fits(part, each, resolve, { depth: depth + 1, isOpen: false })
  if (value === null && nullable === true) return true
  if (typeof ref === 'string' && !again(resolve(ref))) return false
  if (!listOf(allOf).every(again)) return false
  if ([anyOf, oneOf].some((group) => Array.isArray(group) && !group.some(again))) return false
  if (!fitsType(schema, value) || !fitsChoices(schema, value)) return false
  if (Array.isArray(value)) return fitsList(schema, value, check)
  return !isRecord(value) || fitsObject(schema, value, check, isPart)
}

/** Tells a schema that is one reference or one list of alternatives, and a schema without any. */
function isBareGroup(schema: Schema): boolean {
  const groups = ['$ref', 'allOf', 'anyOf', 'oneOf'].filter((key) => schema[key] !== undefined)
  return groups.length === 0 || (groups.length === 1 && groups[0] !== 'allOf' && isBare(schema, groups[0]!))
}

type Check = (schema: unknown, value: unknown) => boolean

function fitsList({ items, prefixItems, additionalItems, minItems }: Schema, value: unknown[], check: Check): boolean {
  const first = Array.isArray(items) ? (items as unknown[]) : listOf(prefixItems)
  const rest = Array.isArray(items) ? (additionalItems ?? false) : (items ?? first.length === 0)
  const least = typeof minItems === 'number' ? minItems : first.length
  return value.length >= least && value.every((each, at) => check(at < first.length ? first[at] : rest, each))
}

function fitsObject(schema: Schema, value: Record<string, unknown>, check: Check, isPart: boolean): boolean {
  const { properties, required, additionalProperties, patternProperties, propertyNames } = schema
  if (listOf(required).some((name) => !Object.hasOwn(value, String(name)))) return false
  const known = recordOf(properties)
  const patterns = Object.values(recordOf(patternProperties))
  const rest = additionalProperties ?? (isPart || (properties === undefined && !isRecord(patternProperties)))
  return Object.entries(value).every(([name, each]) => {
    if (Object.hasOwn(known, name)) return check(known[name], each)
    if (propertyNames !== undefined && !check(propertyNames, name)) return false
    return patterns.some((part) => check(part, each)) || check(rest, each)
  })
}
