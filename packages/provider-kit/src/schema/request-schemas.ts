import type { JsonSchema } from '@x/interfaces'
import { parseJson } from '../json/wire-values.ts'
import { fitSchema, type FittedSchema } from './fit-schema.ts'
import type { Form } from './forms.ts'
import { objectSchema } from './object-schema.ts'
import { SCHEMA_TABLES, type SchemaRules, type SchemaTableName } from './schema-rules.ts'

/** The arguments of a tool as they are sent. */
export interface FittedTool {
  /** Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Whether the vendor holds the arguments to it. */
  readonly strict: boolean
}

/** Most rules and places that a warning names. */
const MAX_NAMED_RULES = 8

/** Schemas that were fitted, by the given schema and the rules. */
const FITTED = new WeakMap<object, { readonly text: string; readonly byRules: Map<SchemaRules, FittedSchema> }>()

/** Fits a schema once for the same rules. A schema may be changed in place, so its text is compared. */
function fitOnce(given: object, rules: SchemaRules): FittedSchema {
  const text = JSON.stringify(given)
  let known = FITTED.get(given)
  if (known?.text !== text) known = { text, byRules: new Map() }
  const fitted = known.byRules.get(rules) ?? fitSchema(given, rules)
  known.byRules.set(rules, fitted)
  FITTED.set(given, known)
  return fitted
}

/**
 * The schemas of one request: of its answer and of the arguments of its tools. It knows the way back from what is sent to the
 * form of the given schema.
 */
export class RequestSchemas {
  /** @internal Lives as long as the program, so that V8 keeps the layout and the code compiled for it. */
  static readonly kept: RequestSchemas = new RequestSchemas(() => {})
  readonly #warn: (topic: string, text: string) => void
  // Most requests have no schema that is fitted: nothing is made for them.
  #tools: Map<string, Form> | undefined
  #unenforced: string[] | undefined
  #answer: Form | undefined
  #vendor = ''
  #strictTools = 0
  #optionals = 0
  #unions = 0

  constructor(warn: (topic: string, text: string) => void) {
    this.#warn = warn
  }

  /**
   * Returns the schema of the answer as a vendor takes it, by the name of a table or by rules. `asArguments`: the answer comes
   * as the arguments of a tool. Fails with `model-failed` of kind `invalid-request` where the vendor cannot take the schema.
   */
  answer(
    schema: JsonSchema,
    rules: SchemaTableName | SchemaRules,
    asArguments: boolean = false,
  ): Readonly<Record<string, unknown>> {
    const given = typeof rules === 'string' ? SCHEMA_TABLES[rules] : rules
    const table = asArguments ? asObject(given) : given
    const fitted = this.#withinShared(fitOnce(schema, table), schema, table)
    this.#count(fitted)
    this.#answer = fitted.isDecoded ? fitted.form : undefined
    this.#note('the answer', fitted, table)
    return fitted.schema
  }

  /**
   * Returns the schema of the arguments of a tool as a vendor takes it: always an object. With `rules`, the arguments are
   * held to it; those of more tools than the vendor allows are not, and a warning names the tool.
   */
  tool(name: string, schema: JsonSchema | undefined, rules?: SchemaTableName | SchemaRules): FittedTool {
    if (rules === undefined) return { parameters: objectSchema(schema), strict: false }
    const table = typeof rules === 'string' ? SCHEMA_TABLES[rules] : rules
    const fitted = fitOnce(schema ?? EMPTY, asObject(table))
    const { limits, strictTools = Infinity } = table
    const isFull =
      table.sharedLimits === true &&
      (this.#optionals + fitted.optionals > (limits.optionals ?? Infinity) ||
        this.#unions + fitted.unions > (limits.unions ?? Infinity))
    if (this.#strictTools >= strictTools || isFull) {
      this.#vendor = table.vendor
      this.#addUnenforced(`all of \`${name}\`, since too many tools are strict`)
      return { parameters: objectSchema(schema), strict: false }
    }
    this.#strictTools++
    this.#count(fitted)
    if (fitted.isDecoded && fitted.form) (this.#tools ??= new Map()).set(name, fitted.form)
    this.#note(`\`${name}\``, fitted, table)
    return { parameters: fitted.schema, strict: true }
  }

  /** Fits the answer once more where the tools of the request have used up a limit that all its schemas share. */
  #withinShared(fitted: FittedSchema, schema: JsonSchema, rules: SchemaRules): FittedSchema {
    const { optionals = Infinity, unions = Infinity } = rules.limits
    const left = { optionals: optionals - this.#optionals, unions: unions - this.#unions }
    if (!rules.sharedLimits || (fitted.optionals <= left.optionals && fitted.unions <= left.unions)) return fitted
    return fitSchema(schema, { ...rules, limits: { ...rules.limits, ...left } })
  }

  #count({ optionals, unions }: FittedSchema): void {
    this.#optionals += optionals
    this.#unions += unions
  }

  #addUnenforced(rule: string): void {
    this.#unenforced ??= []
    this.#unenforced.push(rule)
  }

  #note(of: string, { unenforced }: FittedSchema, { vendor }: SchemaRules): void {
    this.#vendor = vendor
    for (const rule of unenforced) this.#addUnenforced(`${rule} of ${of}`)
  }

  /** Whether the answer comes back in another form. */
  get changesAnswer(): boolean {
    return this.#answer !== undefined
  }

  /** Warns once of all rules to which the vendor does not hold the answer. */
  warnOfUnenforced(): void {
    const rules = this.#unenforced
    if (!rules) return
    const more = rules.length > MAX_NAMED_RULES ? `, and ${rules.length - MAX_NAMED_RULES} more` : ''
    const named = rules.slice(0, MAX_NAMED_RULES).join(', ')
    this.#warn('schema', `${this.#vendor} does not hold the model to these rules of the schemas: ${named}${more}`)
  }

  /** Returns the JSON text of an answer in the form of its schema; a text that is not JSON stays. */
  decodeAnswer(text: string): string {
    return recoded(text, this.#answer, 'decode')
  }

  /** Tells whether the arguments of a tool come back in another form. */
  changesTool(name: string): boolean {
    return this.#tools?.has(name) ?? false
  }

  /** Returns the JSON text of the arguments of a call in the form of the tool's schema. */
  decodeArguments(name: string, text: string): string {
    return recoded(text, this.#tools?.get(name), 'decode')
  }

  /**
   * Returns the JSON text of the arguments of an earlier call as they are sent: a model sees its calls in the form that it is
   * asked for. The tools must have been fitted before; a text that is not JSON stays.
   */
  encodeArguments(name: string, text: string): string {
    return recoded(text, this.#tools?.get(name), 'encode')
  }
}

/** Schema of the arguments of a tool without any. */
const EMPTY: JsonSchema = { type: 'object', properties: {} }

/** Rules for arguments by the rules for answers. */
const OBJECT_RULES = new WeakMap<SchemaRules, SchemaRules>()

function asObject(rules: SchemaRules): SchemaRules {
  if (rules.root === 'object') return rules
  const known = OBJECT_RULES.get(rules) ?? { ...rules, root: 'object' as const }
  OBJECT_RULES.set(rules, known)
  return known
}

function recoded(text: string, form: Form | undefined, way: keyof Form): string {
  if (!form) return text
  const value = parseJson(text)
  return value === undefined ? text : JSON.stringify(form[way](value))
}
