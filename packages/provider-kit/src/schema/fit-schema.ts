import { modelFailure } from '../failure/model-failure.ts'
import {
  JSON_TEXT_FORM,
  listForm,
  objectForm,
  recoded,
  recordForm,
  sameBothWays,
  textsForm,
  tupleForm,
  unionForm,
  wrappedForm,
  type Form,
  type OptionForm,
  type PropertyForm,
} from './forms.ts'
import { measureSchema } from './measure-schema.ts'
import { acceptsNull, isApart } from './tell-apart.ts'
import { ShapeReader, type Shape, type ShapeOf } from './read-shape.ts'
import type { SchemaRules } from './schema-rules.ts'

/** A schema as a vendor takes it, and the way back. */
export interface FittedSchema {
  readonly schema: Readonly<Record<string, unknown>>
  /** The two forms of a value; undefined if they are the same. */
  readonly form: Form | undefined
  /** Whether a value that comes back needs the form of the given schema. */
  readonly isDecoded: boolean
  /** Rules that the vendor does not hold an answer to, with their places. */
  readonly unenforced: readonly string[]
  /** Numbers of optional properties and of schemas with alternatives. */
  readonly optionals: number
  readonly unions: number
}

type Sent = Record<string, unknown>

/** A part of a schema as it is sent. */
interface Part {
  readonly schema: Sent
  readonly form: Form | undefined
  /** Definitions in the making that the part refers to: through them it holds itself. */
  readonly cycles: ReadonlySet<string>
}

/** Surroundings of a part. */
interface Place {
  /** Number of objects around it. */
  readonly depth: number
  /** Definitions that it stands in. */
  readonly open: ReadonlySet<string>
}

/** A definition as it is sent. */
interface SentDefinition {
  part: Part | undefined
  /** True if it may not hold itself. */
  isCut: boolean
}

/** The properties of further names as they are sent: in a property of their own, or as they are. */
interface SentRest {
  readonly key?: string
  readonly schema: Sent
  readonly form: Form | undefined
  readonly isAny?: boolean
}

/** Most schemas that are sent: resolved references can repeat a part without end. */
const MAX_SENT_SCHEMAS = 5000

/** Most characters of the schema of a value that is sent as JSON text. */
const MAX_SHOWN_SCHEMA_LENGTH = 1000

const NO_CYCLES: ReadonlySet<string> = new Set()

/**
 * Returns a JSON Schema in the form that rules allow, and the way back for values of it: every value of the schema can be
 * sent. Fails with `model-failed` of kind `invalid-request` where the schema is larger than the vendor takes.
 */
export function fitSchema(given: object, rules: SchemaRules): FittedSchema {
  const fitted = new SchemaFitter(given, rules, rules.references === 'none').fit()
  const { depth: maxDepth = Infinity } = rules.limits
  const { depth } = measureSchema(fitted.schema)
  // Without references the depth of each object is known, and what is too deep is sent as text.
  const whole = depth <= maxDepth ? fitted : new SchemaFitter(given, rules, true).fit()
  refuseTooLarge(whole, rules)
  return whole
}

/** Refuses a schema that is larger than the vendor takes. */
function refuseTooLarge({ schema }: FittedSchema, { vendor, limits }: SchemaRules): void {
  const size = measureSchema(schema)
  const counts = [
    [size.properties, limits.properties, 'properties'],
    [size.enumValues, limits.enumValues, 'values of enumerations'],
    [size.longEnum, limits.longEnum, 'characters in a long enumeration'],
    [size.characters, limits.characters, 'characters in names and enumerations'],
  ] as const
  for (const [count, most = Infinity, what] of counts) {
    if (count <= most) continue
    throw modelFailure(
      'invalid-request',
      `the schema has ${count} ${what}, most of them at \`${size.largest}\`, and ${vendor} takes at most ${most}: split it, or ask without \`strict\``,
    )
  }
}

class SchemaFitter {
  readonly #rules: SchemaRules
  readonly #reader: ShapeReader
  readonly #root: Shape
  readonly #inline: boolean
  readonly #definitions = new Map<string, SentDefinition>()
  readonly #unenforced = new Set<string>()
  #optionals = 0
  #unions = 0
  #schemas = 0
  /** Whether a part has another form; references alone have none. */
  #isChanged = false

  constructor(given: object, rules: SchemaRules, inline: boolean) {
    this.#rules = rules
    this.#reader = new ShapeReader(given)
    this.#root = this.#reader.read(given, '#')
    this.#inline = inline
  }

  fit(): FittedSchema {
    const { root } = this.#rules
    // The whole may be sent in an object.
    const fitted = this.#fit(this.#root, { depth: this.#root.kind === 'object' ? 0 : 1, open: NO_CYCLES })
    // The whole schema is never a reference, and references of references are resolved when read.
    const ref = fitted.schema['$ref']
    let part = typeof ref === 'string' ? { ...fitted, schema: this.#definitionAt(ref)!.schema } : fitted
    const isSingle = part.schema['anyOf'] === undefined && !Array.isArray(part.schema['type'])
    if (!isSingle || (root === 'object' && part.schema['type'] !== 'object')) {
      const { schema, form } = part
      this.#isChanged = true
      part = { schema: this.#object({ value: schema }), form: wrappedForm('value', form), cycles: NO_CYCLES }
    }
    const definitions = [...this.#definitions].map(([name, { part: sent }]) => [name, sent!.schema] as const)
    return {
      schema: { ...part.schema, ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }) },
      form: part.form,
      isDecoded: this.#isChanged,
      unenforced: [...this.#unenforced],
      optionals: this.#optionals,
      unions: this.#unions,
    }
  }

  #definitionAt(ref: string): Part | undefined {
    return this.#definitions.get(ref.slice(ref.lastIndexOf('/') + 1))?.part
  }

  readonly #resolveSent = (ref: string): unknown => this.#definitionAt(ref)?.schema

  #fit(shape: Shape, place: Place): Part {
    if (++this.#schemas > MAX_SENT_SCHEMAS) return this.#textPart(shape)
    switch (shape.kind) {
      case 'any':
        return this.#rules.any ? this.#plain(shape, {}) : this.#textPart(shape)
      case 'scalar':
        return this.#fitScalar(shape)
      case 'choice':
        return this.#fitChoice(shape)
      case 'list':
        return this.#fitList(shape, place)
      case 'tuple':
        return this.#fitTuple(shape, place)
      case 'object':
        return this.#fitObject(shape, place)
      case 'union':
        return this.#fitUnion(shape, place)
      case 'reference':
        return this.#fitReference(shape, place)
    }
  }

  /** Returns the schema of an object that is made for sending; all properties are required unless `required` says less. */
  #object(properties: Readonly<Record<string, Sent>>, required: readonly string[] = Object.keys(properties)): Sent {
    return { type: 'object', properties, required, ...(this.#rules.closed && { additionalProperties: false }) }
  }

  #plain(shape: Shape, schema: Sent, form?: Form, cycles = NO_CYCLES): Part {
    return { schema: this.#described(shape, schema), form, cycles }
  }

  /** Adds title, description and the rules that may be sent; the others are said in the description. */
  #described({ path, title, description, limits }: Shape, schema: Sent): Sent {
    const said: string[] = []
    const out: Sent = { ...(title !== undefined && { title }), ...schema }
    for (const [key, value] of Object.entries(limits)) {
      if (value === undefined) continue
      if (this.#isAllowed(key, value)) {
        out[key] = value
        continue
      }
      this.#unenforced.add(`\`${key.trim()}\` at \`${path}\``)
      const text = JSON.stringify(value)
      if (text.length <= 200) said.push(`${key.trim()}: ${text}`)
      if (key === 'minItems' && this.#rules.maxMinItems !== undefined) out[key] = this.#rules.maxMinItems
    }
    const texts = [description, schema['description'], said.length > 0 ? `(${said.join(', ')})` : undefined]
    const whole = texts.filter((text) => typeof text === 'string' && text !== '').join(' ')
    return whole === '' ? out : { ...out, description: whole }
  }

  #isAllowed(key: string, value: unknown): boolean {
    const { keywords, formats, maxMinItems = Infinity } = this.#rules
    if (!keywords.has(key)) return false
    if (key === 'format') return !formats || formats.has(String(value))
    if (key === 'pattern') return isSimplePattern(String(value))
    return key !== 'minItems' || Number(value) <= maxMinItems
  }

  /** Sends a value as JSON text. */
  #textPart(shape: Shape, isRecursive = false): Part {
    this.#isChanged = true
    if (shape.kind !== 'any' || isRecursive) this.#unenforced.add(`the form at \`${shape.path}\``)
    const { title, description, limits } = shape
    const said = Object.keys(limits).length > 0 ? ` (${JSON.stringify(limits)})` : ''
    const shown = said.length > MAX_SHOWN_SCHEMA_LENGTH ? '' : said
    const texts = [
      description,
      `${isRecursive ? 'Another value of this kind' : 'A value'} as JSON text${shown}`,
    ].filter(Boolean)
    return {
      schema: { ...(title !== undefined && { title }), type: 'string', description: texts.join('. ') },
      form: JSON_TEXT_FORM,
      cycles: NO_CYCLES,
    }
  }

  /** Counts a schema with alternatives; returns false if there may not be one more. */
  #takeUnion(): boolean {
    if (this.#unions >= (this.#rules.limits.unions ?? Infinity)) return false
    this.#unions++
    return true
  }

  #fitScalar(shape: ShapeOf<'scalar'>): Part {
    const { types } = shape
    if (this.#rules.nulls === 'type') {
      if (types.length > 1 && !this.#takeUnion()) return this.#textPart(shape)
      return this.#plain(shape, { type: types.length === 1 ? types[0] : types })
    }
    const valueTypes = types.filter((name) => name !== 'null')
    const nullable = valueTypes.length < types.length ? { nullable: true } : {}
    if (valueTypes.length === 1) return this.#plain(shape, { type: valueTypes[0], ...nullable })
    if (valueTypes.length === 0) return this.#plain(shape, { type: 'string', ...nullable })
    return this.#plain(shape, { anyOf: valueTypes.map((type) => ({ type })), ...nullable })
  }

  #fitChoice(shape: ShapeOf<'choice'>): Part {
    const { enums, consts } = this.#rules
    const { values } = shape
    if (values.length === 0) return this.#textPart(shape)
    const isTextual = enums === 'texts' ? isText : isPrimitive
    const types = shape.types ?? [...new Set(values.map(typeOf))]
    const hasTypes = enums !== 'primitives' || types.length === 1 || this.#takeUnion()
    if (enums === 'texts' || !hasTypes || !values.every(isPrimitive)) {
      const others = values.filter((value) => value !== null || enums !== 'texts')
      const nullable = others.length < values.length ? { nullable: true } : {}
      const form = hasTypes && others.every(isTextual) ? undefined : textsForm(textsOf(others))
      if (form) this.#isChanged = true
      const texts = form ? [...textsOf(others).keys()] : others
      const format = enums === 'texts' && shape.limits['format'] === undefined ? { format: 'enum' } : {}
      const choices = texts.length > 0 ? { enum: texts, ...format } : {}
      return this.#plain(shape, { type: 'string', ...choices, ...nullable }, form)
    }
    if (enums === 'texts-and-numbers') return this.#fitMixedChoice(shape)
    const type = types.length === 1 ? types[0] : types
    if (values.length === 1 && values[0] === null) return this.#plain(shape, { type })
    return this.#plain(shape, values.length === 1 && consts ? { type, const: values[0] } : { type, enum: values })
  }

  /** Sends texts, numbers, true or false, and null as schemas of their own. */
  #fitMixedChoice(shape: ShapeOf<'choice'>): Part {
    const { values, path } = shape
    const groups: Sent[] = []
    for (const type of ['string', 'number']) {
      const own = values.filter((value) => typeof value === type)
      if (own.length > 0) groups.push({ type, enum: own })
    }
    const flags = values.filter((value) => typeof value === 'boolean')
    if (flags.length === 1) this.#unenforced.add(`\`enum\` at \`${path}\``)
    if (flags.length > 0)
      groups.push({ type: 'boolean', ...(flags.length === 1 && { description: `always ${String(flags[0])}` }) })
    if (values.includes(null)) groups.push({ type: 'null' })
    return this.#plain(shape, groups.length === 1 ? groups[0]! : { anyOf: groups })
  }

  #fitList(shape: ShapeOf<'list'>, place: Place): Part {
    const { schema, form, cycles } = this.#fit(shape.items, place)
    return this.#plain(shape, { type: 'array', items: schema }, form && listForm([], form), cycles)
  }

  #fitTuple(shape: ShapeOf<'tuple'>, place: Place): Part {
    const { tuples, optional } = this.#rules
    const inner = { ...place, depth: place.depth + (tuples ? 0 : 1) }
    if (!tuples && this.#isTooDeep(inner)) return this.#textPart(shape)
    const items = shape.items.map((each) => this.#fit(each, inner))
    const rest = shape.rest && this.#fit(shape.rest, inner)
    const cycles = new Set([...items, ...(rest ? [rest] : [])].flatMap((each) => [...each.cycles]))
    if (tuples) {
      const { minItems = 0, maxItems, ...limits } = shape.limits
      const least = shape.least === items.length ? shape.least + Number(minItems) : shape.least
      const most = rest ? (maxItems === undefined ? undefined : Number(maxItems) + items.length) : items.length
      const form = [...items, ...(rest ? [rest] : [])].some((each) => each.form)
        ? listForm(
            items.map((each) => each.form),
            rest?.form,
          )
        : undefined
      const bounds = {
        minItems: least,
        ...(most !== undefined && { maxItems: most }),
        ...(rest && { items: rest.schema }),
      }
      const schema = { type: 'array', prefixItems: items.map((each) => each.schema), ...bounds }
      return this.#plain({ ...shape, limits }, schema, form, cycles)
    }
    this.#isChanged = true
    const forms: PropertyForm[] = []
    const properties: Record<string, Sent> = {}
    const required: string[] = []
    for (const [at, each] of items.entries()) {
      const sent = this.#fitPresence(each, at < shape.least, true)
      properties[String(at)] = sent.schema
      forms.push({ form: each.form, absent: sent.absent })
      if (at < shape.least || optional === 'nullable' || sent.absent) required.push(String(at))
    }
    const { minItems, maxItems, ...limits } = shape.limits
    if (rest) {
      const bounded = { ...shape, title: undefined, description: undefined, limits: { minItems, maxItems } }
      properties['rest'] = this.#described(bounded, { type: 'array', items: rest.schema })
      required.push('rest')
    }
    const schema = this.#object(properties, required)
    return this.#plain({ ...shape, limits }, schema, tupleForm(forms, rest && { key: 'rest', form: rest.form }), cycles)
  }

  #isTooDeep({ depth }: Place): boolean {
    return this.#inline && depth > (this.#rules.limits.depth ?? Infinity)
  }

  /** Returns a property as it is sent, and what stands for an absent one. */
  #fitPresence(
    { schema }: Part,
    isRequired: boolean,
    isItem = false,
  ): { schema: Sent; absent: PropertyForm['absent'] } {
    if (isRequired) return { schema, absent: undefined }
    const { optional, limits } = this.#rules
    if (optional === 'nullable') {
      const isNullable = acceptsNull(schema, this.#resolveSent)
      if (isNullable && !isItem) return { schema, absent: 'own-null' }
      this.#isChanged = true
      if (!isNullable) return { schema: nullableSchema(schema), absent: 'null' }
    } else if (this.#optionals < (limits.optionals ?? Infinity)) {
      this.#optionals++
      return { schema, absent: undefined }
    }
    this.#isChanged = true
    const { description, ...inner } = schema
    const said = [description, 'A list of at most one item; without items where there is nothing to say.'].filter(
      Boolean,
    )
    return { schema: { type: 'array', items: inner, description: said.join(' ') }, absent: 'empty-list' }
  }

  #fitObject(shape: ShapeOf<'object'>, place: Place): Part {
    const { closed, optional, records, references } = this.#rules
    const inner = { ...place, depth: place.depth + 1 }
    if (this.#isTooDeep(inner)) return this.#textPart(shape)
    if (shape.rest && shape.properties.size === 0 && !records) return this.#fitRecord(shape, inner)
    const forms = new Map<string, PropertyForm>()
    const properties: [string, Sent][] = []
    const required: string[] = []
    const cycles = new Set<string>()
    for (const [name, { shape: own, required: isNeeded }] of shape.properties) {
      const part = this.#fit(own, inner)
      const isCyclic = references === 'optional-cycles' && part.cycles.size > 0
      if (isCyclic && isNeeded) this.#unenforced.add(`\`required\` at \`${own.path}\``)
      if (!isCyclic) for (const cycle of part.cycles) cycles.add(cycle)
      const sent = isCyclic ? { schema: part.schema, absent: undefined } : this.#fitPresence(part, isNeeded)
      properties.push([name, sent.schema])
      forms.set(name, { form: part.form, absent: sent.absent })
      if (!isCyclic && (isNeeded || optional === 'nullable' || sent.absent)) required.push(name)
    }
    const rest = shape.rest && this.#fitRest(shape, inner)
    if (rest?.key !== undefined) {
      properties.push([rest.key, rest.schema])
      required.push(rest.key)
    }
    const needsForm =
      rest?.key !== undefined || rest?.form || [...forms.values()].some(({ form, absent }) => form || absent)
    const form = needsForm ? objectForm(forms, rest && { key: rest.key, form: rest.form }) : undefined
    const sent = {
      type: 'object',
      ...((properties.length > 0 || closed) && { properties: Object.fromEntries(properties) }),
      ...((required.length > 0 || optional === 'nullable') && { required }),
      ...this.#othersOf(shape, rest),
    }
    return this.#plain(shape, sent, form, cycles)
  }

  /** Says which further properties there are, where that may be said. */
  #othersOf({ closed }: ShapeOf<'object'>, rest: SentRest | undefined): Sent {
    if (this.#rules.closed || (closed && this.#rules.records)) return { additionalProperties: false }
    if (!rest || rest.key !== undefined) return {}
    return { additionalProperties: rest.isAny ? true : rest.schema }
  }

  /** Sends an object of free names as a list. */
  #fitRecord(shape: ShapeOf<'object'>, place: Place): Part {
    this.#isChanged = true
    const { minProperties, maxProperties, ...limits } = shape.limits
    const listed = { ...shape, limits: { ...limits, minItems: minProperties, maxItems: maxProperties } }
    const { schema, form, cycles } = this.#fitPairs(shape, place)
    return this.#plain(listed, schema, recordForm(form), cycles)
  }

  #fitPairs({ rest, names }: ShapeOf<'object'>, place: Place): Part {
    const { schema: value, form, cycles } = this.#fit(rest!, place)
    const key = names?.kind === 'scalar' ? this.#described(names, { type: 'string' }) : { type: 'string' }
    return { schema: { type: 'array', items: this.#object({ key, value }) }, form, cycles }
  }

  #fitRest(shape: ShapeOf<'object'>, place: Place): SentRest {
    if (this.#rules.records) {
      const { schema, form } = this.#fit(shape.rest!, place)
      return { schema, form, isAny: shape.rest!.kind === 'any' }
    }
    this.#isChanged = true
    let key = 'other_properties'
    while (shape.properties.has(key)) key = `${key}_`
    const { schema, form } = this.#fitPairs(shape, { ...place, depth: place.depth + 1 })
    return { key, schema: { ...schema, description: 'Further properties by name.' }, form }
  }

  #fitUnion(shape: ShapeOf<'union'>, place: Place): Part {
    const { nulls } = this.#rules
    // Each option may be sent in an object.
    const inner = { ...place, depth: place.depth + 1 }
    if (shape.options.length === 0 || this.#isTooDeep(inner)) return this.#textPart(shape)
    if (!this.#takeUnion()) return this.#textPart(shape)
    const isNull = ({ kind, ...each }: Shape): boolean =>
      kind === 'scalar' && (each as ShapeOf<'scalar'>).types.join() === 'null'
    const byKeyword = nulls === 'nullable' && shape.options.some(isNull)
    const kept = [...shape.options.entries()].filter(([, each]) => !byKeyword || !isNull(each))
    const parts = kept.map(([at, each]) => ({ ...this.#fit(each, inner), source: shape.sources[at] }))
    const cycles = new Set(parts.flatMap((each) => [...each.cycles]))
    const needsNames = parts.some((one, at) =>
      parts.slice(0, at).some((other) => !isApart(one, other, this.#resolveSent)),
    )
    const options: (OptionForm & { schema: Sent })[] = parts.map((part, at) => {
      if (!needsNames) return { ...part, sent: part.schema }
      const key = `option_${at + 1}`
      const schema = this.#object({ [key]: part.schema })
      return { schema, sent: schema, source: part.source, form: wrappedForm(key, part.form) }
    })
    if (needsNames) this.#isChanged = true
    const nullable = byKeyword ? { nullable: true } : {}
    const form = options.some((each) => each.form)
      ? unionForm(options, this.#reader.resolve, this.#resolveSent)
      : undefined
    const schemas = options.map((each) => each.schema)
    if (schemas.length === 1) return this.#plain(shape, { ...schemas[0], ...nullable }, form, cycles)
    return this.#plain(shape, { anyOf: schemas, ...nullable }, form, cycles)
  }

  #fitReference(shape: ShapeOf<'reference'>, place: Place): Part {
    const { name } = shape
    const { references } = this.#rules
    const isOpen = place.open.has(name)
    const inner = { ...place, open: new Set([...place.open, name]) }
    const target = this.#reader.definition(name)
    let known = this.#definitions.get(name)
    if (isOpen && (this.#inline || known?.isCut || references === 'acyclic')) {
      return this.#textPart({ ...shape, kind: 'any' }, true)
    }
    if (this.#inline) {
      const { title = target.title, description = target.description } = shape
      return this.#fit({ ...target, title, description }, inner)
    }
    if (!known) {
      known = { part: undefined, isCut: false }
      this.#definitions.set(name, known)
      known.part = this.#fit(target, inner)
      if (references === 'optional-cycles' && known.part.cycles.has(name)) {
        known.isCut = true
        known.part = this.#fit(target, inner)
      }
    }
    const cycles = new Set(known.part ? known.part.cycles : [name])
    if (!isOpen) cycles.delete(name)
    const definition = known
    // It may still be in the making.
    const form = sameBothWays((value, way) => recoded(definition.part?.form, way, value))
    return { schema: { $ref: `#/$defs/${name}` }, form, cycles }
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'

const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || value === null

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value
}

/** The text of each value of an enumeration: as text, or as JSON where two would be the same. */
function textsOf(values: readonly unknown[]): ReadonlyMap<string, unknown> {
  const plain = new Map(values.map((value) => [isPrimitive(value) ? String(value) : JSON.stringify(value), value]))
  if (plain.size === values.length) return plain
  return new Map(values.map((value) => [JSON.stringify(value), value]))
}

/** Tells a regular expression that every vendor knows: without a look around, names and references. */
const isSimplePattern = (source: string): boolean => !/\(\?(?!:)|\\[1-9bBkpP]/u.test(source)

/** Returns a schema that allows null, too. */
function nullableSchema(schema: Sent): Sent {
  const { type, anyOf, enum: values, const: fixed, $ref: ref, description, ...rest } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as unknown[]), { type: 'null' }] }
  if (ref !== undefined) return { anyOf: [schema, { type: 'null' }] }
  const choices = fixed === undefined ? values : [fixed]
  return {
    ...rest,
    type: [type, 'null'].flat(),
    ...(Array.isArray(choices) && { enum: [...(choices as unknown[]), null] }),
    ...(description !== undefined && { description }),
  }
}
