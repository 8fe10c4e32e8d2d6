import type { ToolIssue } from '@x/interfaces'
import { FORMATS } from './formats.ts'
import { entriesIn, isObject, listIn, type CompiledSchema, type SchemaObject } from './compile-schema.ts'

/** Most values inside each other that are checked. */
const MAX_VALUE_DEPTH = 500

/** Most issues that are told of one value. */
const MAX_ISSUES = 20

/** Schemas that every check may visit, and further ones for each part of the value. */
const FREE_VISITS = 100_000
const VISITS_PER_PART = 100

/** Steps that the patterns of every check may take, and further ones for each character of the value. */
const FREE_PATTERN_STEPS = 2_000_000
const PATTERN_STEPS_PER_CHARACTER = 50

/** Most characters of a value that an issue shows. */
const MAX_SHOWN_LENGTH = 300

/** Text for a value that is refused because the schema looks at its parts again and again. */
const TOO_MUCH_WORK = 'checking it against its schema takes too many steps'

/** Ends a check: the value is refused. */
class CheckRefused extends Error {}

/** Names of the properties, and indexes of the items, that a schema has looked at. */
type Evaluated = Set<string | number> | undefined

/** The issues of a value, or of a part of it: those that are told, and the number of all. */
interface Issues {
  readonly told: ToolIssue[]
  count: number
}

const noIssues = (): Issues => ({ told: [], count: 0 })

/** Checks a value against a schema; returns the issues, none for a value that fits. */
export function checkValue(schema: CompiledSchema, value: unknown): readonly ToolIssue[] {
  const check = new ValueCheck(schema, value)
  try {
    return check.issues()
  } catch (error) {
    if (error instanceof CheckRefused) return [{ path: check.path, message: error.message }]
    throw error
  }
}

/** One check of one value. The work is counted, so that no schema costs much more than its value has parts. */
class ValueCheck {
  readonly #schema: CompiledSchema
  readonly #value: unknown
  readonly #path: (string | number)[] = []
  #depth = 0
  #visits = 0
  #patternSteps = 0
  #size: ValueSize | undefined

  constructor(schema: CompiledSchema, value: unknown) {
    this.#schema = schema
    this.#value = value
  }

  /** Path to the part that is checked. */
  get path(): (string | number)[] {
    return this.#path.slice(0, 10)
  }

  issues(): readonly ToolIssue[] {
    const issues = noIssues()
    this.#visit(this.#schema.root, this.#value, issues, this.#newEvaluated())
    return issues.told
  }

  /** Counts schemas that are visited, and other work of their cost. */
  #spend(visits: number): void {
    this.#visits += visits
    if (this.#visits <= FREE_VISITS) return
    this.#size ??= sizeOf(this.#value)
    if (this.#visits > FREE_VISITS + VISITS_PER_PART * this.#size.parts) throw new CheckRefused(TOO_MUCH_WORK)
  }

  readonly #spendOnPattern = (steps: number): void => {
    this.#patternSteps += steps
    if (this.#patternSteps <= FREE_PATTERN_STEPS) return
    this.#size ??= sizeOf(this.#value)
    const most = FREE_PATTERN_STEPS + PATTERN_STEPS_PER_CHARACTER * this.#size.characters
    if (this.#patternSteps > most) throw new CheckRefused(TOO_MUCH_WORK)
  }

  /** Checks a value against a schema, and adds its issues. */
  #visit(schema: unknown, value: unknown, issues: Issues, evaluated: Evaluated): void {
    if (schema === false) return this.#fail(issues, 'is not allowed')
    if (!isObject(schema)) return
    this.#spend(1)
    if (++this.#depth > MAX_VALUE_DEPTH) throw new CheckRefused(`is nested deeper than ${MAX_VALUE_DEPTH} levels`)
    const target = this.#schema.targets.get(schema)
    if (target !== undefined) this.#visitAgain(target, value, issues, evaluated)
    this.#checkType(schema, value, issues)
    this.#checkChoices(schema, value, issues)
    this.#checkCombinations(schema, value, issues, evaluated)
    this.#checkCondition(schema, value, issues, evaluated)
    if (typeof value === 'string') this.#checkText(schema, value, issues)
    else if (typeof value === 'number') this.#checkNumber(schema, value, issues)
    else if (Array.isArray(value)) this.#checkItems(schema, value as unknown[], issues, evaluated)
    else if (isObject(value)) this.#checkProperties(schema, value, issues, evaluated)
    this.#depth--
  }

  /** Checks a value against a schema, and tells whether it fits. */
  #fits(schema: unknown, value: unknown, issues: Issues, evaluated: Evaluated): boolean {
    const before = issues.count
    this.#visit(schema, value, issues, evaluated)
    return issues.count === before
  }

  /** Checks a part of the value. */
  #visitPart(step: string | number, schema: unknown, value: unknown, issues: Issues): boolean {
    this.#path.push(step)
    const fits = this.#fits(schema, value, issues, this.#newEvaluated())
    this.#path.pop()
    return fits
  }

  /** Checks the same value against a further schema, and keeps what that has looked at if the value fits. */
  #visitAgain(schema: unknown, value: unknown, issues: Issues, evaluated: Evaluated): boolean {
    const inner = this.#newEvaluated()
    const fits = this.#fits(schema, value, issues, inner)
    if (fits && inner && evaluated) {
      this.#spend(inner.size)
      for (const each of inner) evaluated.add(each)
    }
    return fits
  }

  #newEvaluated(): Evaluated {
    return this.#schema.tracksEvaluated ? new Set() : undefined
  }

  #fail(issues: Issues, message: string): void {
    issues.count++
    if (issues.told.length < MAX_ISSUES) issues.told.push({ path: [...this.#path], message })
  }

  #checkType({ type }: SchemaObject, value: unknown, issues: Issues): void {
    if (type === undefined) return
    const own = typeOf(value)
    if (type === own) return
    const types = Array.isArray(type) ? (type as unknown[]) : [type]
    if (types.includes(own) || (own === 'number' && types.includes('integer') && Number.isInteger(value))) return
    this.#fail(issues, `expected ${shown(types.join(' or '))}, got ${own}`)
  }

  #checkChoices(schema: SchemaObject, value: unknown, issues: Issues): void {
    const { const: fixed, enum: choices } = schema
    if (fixed !== undefined && !this.#isEqual(value, fixed)) this.#fail(issues, `expected ${shownValue(fixed)}`)
    if (Array.isArray(choices) && !choices.some((choice) => this.#isEqual(value, choice))) {
      this.#fail(issues, `expected one of ${shownValue(choices)}`)
    }
  }

  #checkCombinations(schema: SchemaObject, value: unknown, issues: Issues, evaluated: Evaluated): void {
    const { allOf, anyOf, oneOf, not } = schema
    if (allOf === undefined && anyOf === undefined && oneOf === undefined && not === undefined) return
    for (const each of listIn(allOf)) this.#visitAgain(each, value, issues, evaluated)
    for (const [keyword, branches] of [
      ['anyOf', anyOf],
      ['oneOf', oneOf],
    ] as const) {
      if (!Array.isArray(branches)) continue
      const inner = noIssues()
      const count = branches.filter((each) => this.#visitAgain(each, value, inner, evaluated)).length
      if (count === 1 || (count > 1 && keyword === 'anyOf')) continue
      this.#fail(
        issues,
        count === 0
          ? `fits none of the schemas of \`${keyword}\``
          : `fits ${count} schemas of \`oneOf\`, expected exactly one`,
      )
      if (count === 0) issues.told.push(...inner.told.slice(0, MAX_ISSUES - issues.told.length))
    }
    if (not !== undefined && this.#fits(not, value, noIssues(), this.#newEvaluated())) {
      this.#fail(issues, 'fits the schema of `not`')
    }
  }

  #checkCondition(schema: SchemaObject, value: unknown, issues: Issues, evaluated: Evaluated): void {
    if (schema['if'] === undefined) return
    const branch = this.#visitAgain(schema['if'], value, noIssues(), evaluated) ? 'then' : 'else'
    if (schema[branch] === undefined || this.#visitAgain(schema[branch], value, issues, evaluated)) return
    this.#fail(issues, `does not fit the schema of \`${branch}\``)
  }

  #checkText(schema: SchemaObject, value: string, issues: Issues): void {
    const { minLength, maxLength, pattern, format } = schema
    if (typeof minLength === 'number' || typeof maxLength === 'number') {
      this.#checkCount(countCharacters(value), { least: minLength, most: maxLength, unit: 'characters' }, issues)
    }
    if (typeof pattern === 'string' && !this.#schema.pattern(pattern).test(value, this.#spendOnPattern)) {
      this.#fail(issues, `does not match the pattern ${shown(pattern)}`)
    }
    const isFormat = typeof format === 'string' ? FORMATS.get(format) : undefined
    if (isFormat && !isFormat(value)) this.#fail(issues, `does not match the format \`${String(format)}\``)
  }

  #checkCount(count: number, { least, most, unit }: CountLimits, issues: Issues): void {
    if (typeof least === 'number' && count < least) {
      this.#fail(issues, `has ${count} ${unit}, expected at least ${least}`)
    } else if (typeof most === 'number' && count > most) {
      this.#fail(issues, `has ${count} ${unit}, expected at most ${most}`)
    }
  }

  #checkNumber(schema: SchemaObject, value: number, issues: Issues): void {
    for (const { keyword, words, isBroken } of NUMBER_LIMITS) {
      const limit = schema[keyword]
      if (typeof limit === 'number' && isBroken(value, limit))
        this.#fail(issues, `is ${value}, expected ${words} ${limit}`)
    }
  }

  #checkItems(schema: SchemaObject, value: readonly unknown[], issues: Issues, evaluated: Evaluated): void {
    const { minItems, maxItems, uniqueItems, prefixItems, items, additionalItems, unevaluatedItems } = schema
    this.#checkCount(value.length, { least: minItems, most: maxItems, unit: 'items' }, issues)
    const first = Array.isArray(items) ? (items as unknown[]) : listIn(prefixItems)
    const rest = Array.isArray(items) ? additionalItems : items
    for (const [index, each] of value.entries()) {
      if (index >= first.length && rest === undefined) break
      this.#visitPart(index, index < first.length ? first[index] : rest, each, issues)
      evaluated?.add(index)
    }
    this.#checkContains(schema, value, issues, evaluated)
    if (unevaluatedItems !== undefined) {
      for (const [index, each] of value.entries()) {
        if (evaluated?.has(index)) continue
        this.#visitPart(index, unevaluatedItems, each, issues)
        evaluated?.add(index)
      }
    }
    if (uniqueItems === true && new Set(value.map((each) => this.#key(each))).size < value.length) {
      this.#fail(issues, 'has equal items, expected different ones')
    }
  }

  #checkContains(schema: SchemaObject, value: readonly unknown[], issues: Issues, evaluated: Evaluated): void {
    const { contains, minContains = 1, maxContains } = schema
    if (contains === undefined) return
    let count = 0
    for (const [index, each] of value.entries()) {
      if (!this.#visitPart(index, contains, each, noIssues())) continue
      evaluated?.add(index)
      count++
    }
    this.#checkCount(count, { least: minContains, most: maxContains, unit: 'items as in `contains`' }, issues)
  }

  #checkProperties(schema: SchemaObject, value: SchemaObject, issues: Issues, evaluated: Evaluated): void {
    const { required, minProperties, maxProperties, propertyNames, properties } = schema
    const names = Object.keys(value)
    for (const name of listIn(required)) {
      this.#spend(1)
      if (typeof name === 'string' && !Object.hasOwn(value, name)) {
        this.#fail(issues, `the required property ${shownValue(name)} is missing`)
      }
    }
    if (minProperties !== undefined || maxProperties !== undefined) {
      const counts = { least: minProperties, most: maxProperties, unit: 'properties' }
      this.#checkCount(names.length, counts, issues)
    }
    if (propertyNames !== undefined) {
      for (const name of names) {
        if (!this.#visitPart(name, propertyNames, name, noIssues())) {
          this.#fail(issues, `the name ${shownValue(name)} of a property does not fit`)
        }
      }
    }
    this.#checkDependencies(schema, value, issues, evaluated)
    const seen = evaluated || looksAtOthers(schema) ? new Set<string>() : undefined
    if (isObject(properties)) {
      // No list of entries: most checks would make one for every object.
      for (const name in properties) {
        if (!Object.hasOwn(properties, name)) continue
        this.#spend(1)
        if (!Object.hasOwn(value, name)) continue
        seen?.add(name)
        this.#visitPart(name, properties[name], value[name], issues)
      }
    }
    if (seen) this.#checkOtherProperties(schema, { value, names, seen }, issues, evaluated)
  }

  #checkOtherProperties(
    schema: SchemaObject,
    { value, names, seen }: { value: SchemaObject; names: readonly string[]; seen: Set<string> },
    issues: Issues,
    evaluated: Evaluated,
  ): void {
    const { patternProperties, additionalProperties, unevaluatedProperties } = schema
    for (const [source, inner] of entriesIn(patternProperties)) {
      const pattern = this.#schema.pattern(source)
      for (const name of names) {
        this.#spend(1)
        if (!pattern.test(name, this.#spendOnPattern)) continue
        seen.add(name)
        this.#visitPart(name, inner, value[name], issues)
      }
    }
    for (const name of seen) evaluated?.add(name)
    for (const [isSeen, inner] of [
      [seen, additionalProperties],
      [evaluated, unevaluatedProperties],
    ] as const) {
      if (inner === undefined) continue
      for (const name of names) {
        if (isSeen?.has(name)) continue
        this.#visitPart(name, inner, value[name], issues)
        evaluated?.add(name)
      }
    }
  }

  #checkDependencies(schema: SchemaObject, value: SchemaObject, issues: Issues, evaluated: Evaluated): void {
    for (const keyword of DEPENDENCIES) {
      for (const [name, needed] of entriesIn(schema[keyword])) {
        this.#spend(1)
        if (!Object.hasOwn(value, name)) continue
        if (!Array.isArray(needed)) {
          this.#visitAgain(needed, value, issues, evaluated)
          continue
        }
        for (const other of needed) {
          if (typeof other !== 'string' || Object.hasOwn(value, other)) continue
          this.#fail(issues, `has the property ${shownValue(name)}, and needs ${shownValue(other)} too`)
        }
      }
    }
  }

  #isEqual(one: unknown, other: unknown): boolean {
    this.#spend(1)
    if (one === other) return true
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
    return this.#key(one) === this.#key(other)
  }

  /** Returns a text that equal values have in common. */
  #key(value: unknown, depth = 0): string {
    this.#spend(1)
    if (depth > MAX_VALUE_DEPTH) throw new CheckRefused(`is nested deeper than ${MAX_VALUE_DEPTH} levels`)
    if (Array.isArray(value)) return `[${value.map((each) => this.#key(each, depth + 1)).join()}]`
    if (!isObject(value)) return JSON.stringify(value) ?? typeof value
    const names = Object.keys(value).toSorted()
    return `{${names.map((name) => `${JSON.stringify(name)}:${this.#key(value[name], depth + 1)}`).join()}}`
  }
}

/** Keywords that limit a number, in the order of their issues. */
const NUMBER_LIMITS: readonly {
  readonly keyword: string
  readonly words: string
  readonly isBroken: (value: number, limit: number) => boolean
}[] = [
  { keyword: 'minimum', words: 'at least', isBroken: (value, limit) => value < limit },
  { keyword: 'maximum', words: 'at most', isBroken: (value, limit) => value > limit },
  { keyword: 'exclusiveMinimum', words: 'more than', isBroken: (value, limit) => value <= limit },
  { keyword: 'exclusiveMaximum', words: 'less than', isBroken: (value, limit) => value >= limit },
  { keyword: 'multipleOf', words: 'a multiple of', isBroken: (value, limit) => !isMultiple(value, limit) },
]

/** Keywords that ask for more where a property is. */
const DEPENDENCIES = ['dependentRequired', 'dependentSchemas', 'dependencies'] as const

/** True if a schema may check properties that it does not name. */
const looksAtOthers = ({ patternProperties, additionalProperties, unevaluatedProperties }: SchemaObject): boolean =>
  patternProperties !== undefined || additionalProperties !== undefined || unevaluatedProperties !== undefined

interface CountLimits {
  readonly least: unknown
  readonly most: unknown
  readonly unit: string
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const shown = (text: string): string =>
  text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…` : text

const shownValue = (value: unknown): string => shown(JSON.stringify(value) ?? typeof value)

/** Counts code points. */
function countCharacters(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if (text.codePointAt(at)! > 0xffff) at++
    count++
  }
  return count
}

/** Tells whether a number is a multiple of another, by their decimal digits. */
function isMultiple(value: number, divisor: number): boolean {
  if (!(divisor > 0) || !Number.isFinite(value) || !Number.isFinite(divisor)) return false
  const [digits, exponent] = decimalOf(value)
  const [divisorDigits, divisorExponent] = decimalOf(divisor)
  const common = Math.min(exponent, divisorExponent)
  return (digits * 10n ** BigInt(exponent - common)) % (divisorDigits * 10n ** BigInt(divisorExponent - common)) === 0n
}

/** A number as whole digits and the power of ten that they are multiplied by. */
function decimalOf(value: number): [digits: bigint, exponent: number] {
  const [mantissa = '0', exponent = '0'] = String(Math.abs(value)).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

/** Number of the parts of a value, and of the characters in its texts and names. */
interface ValueSize {
  readonly parts: number
  readonly characters: number
}

function sizeOf(value: unknown): ValueSize {
  let parts = 0
  let characters = 0
  const open = [value]
  const seen = new Set<object>()
  while (open.length > 0) {
    const part = open.pop()
    parts++
    if (typeof part === 'string') characters += part.length
    else if (typeof part === 'object' && part !== null && !seen.has(part)) {
      seen.add(part)
      for (const [name, inner] of Object.entries(part)) {
        characters += name.length
        open.push(inner)
      }
    }
  }
  return { parts, characters }
}
