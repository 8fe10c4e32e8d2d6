/** The value of a field of a form. */
export type FieldValue = string | number | boolean | string[]

/** One field of a form of a server. */
export interface Field {
  readonly name: string
  readonly prompt: string
  readonly required: boolean
  /** The value where nothing is typed. */
  readonly initial: FieldValue | undefined
  /** Reads what was typed; undefined when it does not fit. */
  read(typed: string): FieldValue | undefined
}

/** Most fields of a form. */
const MOST_FIELDS = 50

/** Reads the fields of a form out of its schema, a flat object of texts, numbers, flags and choices. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = objectOf(schema)
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.entries(objectOf(properties))
    .slice(0, MOST_FIELDS)
    .map(([name, its]) => fieldOf(name, objectOf(its), names.has(name)))
}

function fieldOf(name: string, schema: Readonly<Record<string, unknown>>, required: boolean): Field {
  const { type, title, description, default: initial, items } = schema
  const isList = type === 'array'
  const choices = choicesOf(isList ? objectOf(items) : schema)
  const kind = choices ? `${isList ? 'some' : 'one'} of ${choices.join(', ')}` : String(type)
  const words = [title, description].filter((each) => typeof each === 'string').join(': ')
  const preset = isValue(initial) ? initial : undefined
  const end = preset === undefined ? (required ? '' : '; may be left empty') : `; empty: ${String(preset)}`
  return {
    name,
    prompt: `${name}${words && ` – ${words}`} (${kind}${isList ? ', separated by commas' : ''}${end})`,
    required,
    initial: preset,
    read(typed) {
      if (isList) {
        const parts = typed.split(',').map((part) => part.trim())
        return parts.every((part) => !choices || choices.includes(part)) ? parts : undefined
      }
      if (choices) return choices.includes(typed) ? typed : undefined
      return readPrimitive(typed, schema)
    },
  }
}

function readPrimitive(typed: string, schema: Readonly<Record<string, unknown>>): FieldValue | undefined {
  switch (schema['type']) {
    case 'boolean':
      return /^(?:y|yes|true)$/iu.test(typed) ? true : /^(?:n|no|false)$/iu.test(typed) ? false : undefined
    case 'number':
    case 'integer': {
      const value = typed === '' ? Number.NaN : Number(typed)
      const fits = schema['type'] === 'number' ? Number.isFinite(value) : Number.isInteger(value)
      return fits && value >= numberOf(schema['minimum'], -Infinity) && value <= numberOf(schema['maximum'], Infinity)
        ? value
        : undefined
    }
    default:
      return typed.length >= numberOf(schema['minLength'], 0) && typed.length <= numberOf(schema['maxLength'], Infinity)
        ? typed
        : undefined
  }
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

const isValue = (value: unknown): value is FieldValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((each) => typeof each === 'string'))

/** The values of an enumeration, in each of the ways that the protocol writes one. */
function choicesOf(schema: Readonly<Record<string, unknown>>): string[] | undefined {
  const { enum: plain, oneOf, anyOf } = schema
  if (Array.isArray(plain)) return plain.filter((each) => typeof each === 'string')
  const titled = oneOf ?? anyOf
  if (!Array.isArray(titled)) return undefined
  return titled.map((each) => objectOf(each)['const']).filter((each) => typeof each === 'string')
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
