import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import type { Io } from '@x/interfaces'
import { plainLine, plainText } from '../text/plain-text.ts'

/** Asks a person. */
type Ask = (prompt: string) => Promise<string>

/** Most prompts for one field of a form. */
const MAX_FIELD_ATTEMPTS = 3

/** Puts the question of a server to a person, who may decline; nothing is opened or filled in for the person. */
export async function elicitFrom(
  io: Pick<Io, 'input'>,
  server: string,
  { params }: ElicitRequest,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const ask: Ask = async (prompt) => (await io.input(prompt, { signal })).trim()
  const message = plainText(params.message, 2000)
  const head = `The MCP server \`${server}\` asks: ${message}\n`
  if (params.mode === 'url') {
    const url = plainLine(params.url, 2000)
    const host = URL.canParse(params.url) ? new URL(params.url).host : 'no host'
    return readDecision(
      await ask(`${head}It wants you to open an address of ${host}: ${url}\nOpen it yourself, then type yes; or no: `),
    )
  }
  const fields = readFields(params.requestedSchema)
  const decision = readDecision(await ask(`${head}Answer it? (yes, no): `))
  if (decision.action !== 'accept') return decision
  const content: Record<string, FieldValue> = {}
  for (const field of fields) {
    const value = await askField(ask, field)
    if (value === CANCELLED_FORM) return { action: 'cancel' }
    if (value !== undefined) content[field.name] = value
  }
  return { action: 'accept', content }
}

const CANCELLED_FORM = Symbol('cancelled')

async function askField(ask: Ask, field: Field): Promise<FieldValue | undefined | typeof CANCELLED_FORM> {
  for (let attempt = 1; attempt <= MAX_FIELD_ATTEMPTS; attempt++) {
    const typed = await ask(`${plainLine(field.prompt, 1000)}: `)
    if (typed === '') {
      if (field.initial !== undefined) return field.initial
      if (!field.required) return undefined
    }
    const value = field.read(typed)
    if (value !== undefined) return value
  }
  return CANCELLED_FORM
}

/** Reads a decision; any text but yes or no cancels the question. */
function readDecision(typed: string): ElicitResult {
  if (/^y(?:es)?$/iu.test(typed)) return { action: 'accept' }
  return { action: /^no?$/iu.test(typed) ? 'decline' : 'cancel' }
}

/** The value of a field of a form. */
type FieldValue = string | number | boolean | string[]

/** One field of a form of a server. */
interface Field {
  readonly name: string
  readonly prompt: string
  readonly required: boolean
  /** Default value, for an empty line. */
  readonly initial: FieldValue | undefined
  /** Reads typed text; undefined when it does not fit. */
  read(typed: string): FieldValue | undefined
}

/** Most fields of a form. */
const MAX_FORM_FIELDS = 50

/** Reads the fields of a form from its schema, a flat object of texts, numbers, flags and choices. */
function readFields(schema: unknown): Field[] {
  const { properties, required } = asObject(schema)
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.entries(asObject(properties))
    .slice(0, MAX_FORM_FIELDS)
    .map(([name, field]) => readField(name, asObject(field), names.has(name)))
}

function readField(name: string, schema: Readonly<Record<string, unknown>>, required: boolean): Field {
  const { type, title, description, default: initial, items } = schema
  const isList = type === 'array'
  const choices = choicesOf(isList ? asObject(items) : schema)
  const kind = choices ? `${isList ? 'some' : 'one'} of ${choices.join(', ')}` : String(type)
  const words = [title, description].filter((each) => typeof each === 'string').join(': ')
  const preset = isFieldValue(initial) ? initial : undefined
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
      return fits && value >= numberOr(schema['minimum'], -Infinity) && value <= numberOr(schema['maximum'], Infinity)
        ? value
        : undefined
    }
    default:
      return typed.length >= numberOr(schema['minLength'], 0) && typed.length <= numberOr(schema['maxLength'], Infinity)
        ? typed
        : undefined
  }
}

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

const isFieldValue = (value: unknown): value is FieldValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((each) => typeof each === 'string'))

/** Returns the values of an enumeration, in each notation of the protocol. */
function choicesOf(schema: Readonly<Record<string, unknown>>): string[] | undefined {
  const { enum: plain, oneOf, anyOf } = schema
  if (Array.isArray(plain)) return plain.filter((each) => typeof each === 'string')
  const titled = oneOf ?? anyOf
  if (!Array.isArray(titled)) return undefined
  return titled.map((each) => asObject(each)['const']).filter((each) => typeof each === 'string')
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** The open calls of a server, which decide which person a question of the server is for. */
export class OpenCalls {
  readonly #open = new Set<{ readonly io: Pick<Io, 'input'> | undefined }>()

  #lastQuestion: Promise<unknown> = Promise.resolve()

  /** Asks one question after the other: a server may send several at once. */
  async inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const before = this.#lastQuestion
    const question = (async () => {
      await before.catch(() => {})
      return await ask()
    })()
    this.#lastQuestion = question
    return await question
  }

  /** Begins a call; returns the function that ends it. */
  begin(io: Pick<Io, 'input'> | undefined): () => void {
    const call = { io }
    this.#open.add(call)
    return () => void this.#open.delete(call)
  }

  /**
   * The person that a question is for; undefined without an open call, or with open calls of several persons: the older
   * protocol does not tell which call a question belongs to.
   */
  get io(): Pick<Io, 'input'> | undefined {
    const persons = new Set([...this.#open].map(({ io }) => io))
    return persons.size === 1 ? [...persons][0] : undefined
  }
}
