import type { JsonSchema, MaybePromise, ToolIssue } from '@x/interfaces'
import { isThenable } from '../steps.ts'
import { XError } from '../x-error.ts'
import { checkValue } from './check-schema.ts'
import { type CompiledSchema, compileSchema } from './compile-schema.ts'

/** The value that a schema gives for one that fits, or what does not fit. */
type Validity = { readonly value: unknown } | { readonly issues: readonly ToolIssue[] }

/** The part of Standard Schema (https://standardschema.dev) that checks values. */
interface StandardCheck {
  readonly '~standard': { readonly validate: (value: unknown) => MaybePromise<StandardResult> }
}

type StandardResult = { readonly value: unknown } | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * The check of a value against what a program has given as its schema: by the own validator of a Standard Schema, or by the
 * JSON Schema. Fails with what `refused` makes if nothing can be checked against that.
 */
export function validation(
  given: object,
  schema: JsonSchema,
  refused?: (problem: string) => XError,
): (value: unknown) => MaybePromise<Validity> {
  if (!isStandardCheck(given)) return validatorFor(schema, refused)
  return (value) => checked(given['~standard'].validate(value))
}

const isStandardCheck = (given: object): given is StandardCheck => '~standard' in given

/** Says where and why a value does not fit. */
export const issuesText = (issues: readonly ToolIssue[]): string =>
  issues.map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'the value'}: ${message}`).join('; ')

function checked(result: MaybePromise<StandardResult>): MaybePromise<Validity> {
  return isThenable(result) ? result.then(validityOf) : validityOf(result)
}

function validityOf(result: StandardResult): Validity {
  if (!('issues' in result) || !result.issues) return { value: (result as { value: unknown }).value }
  return { issues: result.issues.map(({ message, path = [] }) => ({ message, path: path.map(keyOf) })) }
}

function keyOf(part: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof part === 'object' ? part.key : part
  return typeof key === 'number' ? key : String(key)
}

/**
 * Makes the check of values against a JSON Schema, which is read once; it generates no code, and takes time in proportion to
 * the value whatever the schema is. Fails with what `refused` makes if nothing can be checked against the schema.
 */
export function validatorFor(
  schema: JsonSchema,
  refused: (problem: string) => XError = refusedSchema,
): (value: unknown) => { value: unknown } | { issues: ToolIssue[] } {
  const compiled = compiledOf(schema)
  if (typeof compiled === 'string') throw refused(compiled)
  return (value) => {
    const issues = checkValue(compiled, value)
    return issues.length === 0 ? { value } : { issues: [...issues] }
  }
}

/** Says why nothing can be checked against a JSON Schema; undefined if values can be. */
export function problemOfSchema(schema: JsonSchema): string | undefined {
  const compiled = compiledOf(schema)
  return typeof compiled === 'string' ? compiled : undefined
}

/** A schema that was compiled before: its text at that time, and its copy once it is asked for again. */
interface KnownSchema {
  readonly text: string
  compiled: CompiledSchema | string | null
}

const knownSchemas = new WeakMap<JsonSchema, KnownSchema>()

/** Compiles a schema, or says what is wrong with it. One that comes again is not compiled again, unless its text has changed. */
function compiledOf(schema: JsonSchema): CompiledSchema | string {
  const text = textOf(schema)
  const known = knownSchemas.get(schema)
  if (text !== undefined && known?.text === text) {
    // A copy: the program may put other objects with the same text into its schema, to which no reference is known.
    known.compiled ??= compileSchema(JSON.parse(text) as JsonSchema)
    if (typeof known.compiled === 'object') return known.compiled
  }
  const compiled = compileSchema(schema)
  if (text !== undefined && typeof compiled === 'object') knownSchemas.set(schema, { text, compiled: null })
  return compiled
}

/** The JSON text of a schema; undefined for one that holds itself, or something else that JSON lacks. */
function textOf(schema: JsonSchema): string | undefined {
  try {
    return JSON.stringify(schema)
  } catch {
    return undefined
  }
}

const refusedSchema = (problem: string): XError =>
  new XError('invalid-argument', `cannot check a value against a JSON Schema: ${problem}`)
