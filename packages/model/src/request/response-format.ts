import type { JsonSchema, MaybePromise, ModelCapabilities, ModelParams, ToolIssue } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { issuesText, problemOfSchema, validation, validatorFor } from '@x/kernel/schema'

/** Types of the wire's own form of a `response_format`. */
const WIRE_FORMAT_TYPES = new Set(['text', 'json_object', 'json_schema'])

/**
 * Returns a `response_format` in the wire's form. A JSON Schema, or a schema of zod or a similar library that can produce
 * one, is wrapped; the wire's form is returned as it is.
 */
export function toWireFormat(format: unknown): unknown {
  if ((typeof format !== 'object' && typeof format !== 'function') || format === null) return format
  const data = format as Record<string, unknown> & { '~standard'?: StandardJson }
  const standard = data['~standard']
  if (!standard && WIRE_FORMAT_TYPES.has(String(data['type']))) return format
  const text = standard ? '' : JSON.stringify(data)
  const known = WRAPPED.get(data)
  if (known?.text === text) return known.format
  const wrapped = { format: wrapSchema(standard ? jsonSchemaOf(standard) : data), text }
  WRAPPED.set(data, wrapped)
  return wrapped.format
}

/**
 * Schemas in the form of the wire, by the given ones: an adapter fits a schema once as long as it is the same object. A JSON
 * Schema may be changed in place, so its text is compared.
 */
const WRAPPED = new WeakMap<object, { readonly format: object; readonly text: string }>()

function jsonSchemaOf(standard: StandardJson): Record<string, unknown> {
  if (!standard.jsonSchema) {
    throw new XError(
      'invalid-argument',
      '`response_format` is a schema that cannot give a JSON Schema: use zod 4.2 or newer, or write the JSON Schema',
    )
  }
  return standard.jsonSchema.output({ target: 'draft-2020-12' })
}

/** The part of a Standard Schema that produces a JSON Schema. */
interface StandardJson {
  readonly jsonSchema?: { output(options: { target: string }): Record<string, unknown> }
}

/**
 * Wraps a JSON Schema in the wire's form; it is strict, so that a model cannot answer anything else. The adapter brings the
 * schema into the form that the vendor takes, and the answer back.
 */
function wrapSchema(given: Readonly<Record<string, unknown>>): object {
  const schema = { ...given }
  delete schema['$schema']
  const title = typeof schema['title'] === 'string' ? schema['title'] : 'response'
  return {
    type: 'json_schema',
    json_schema: { name: title.replaceAll(/[^\w-]/gu, '_').slice(0, 64), schema, strict: true },
  }
}

/**
 * Adds a `response_format` for the schema of the answer, if the request has none and the model is known to support one beside
 * its tools.
 */
export function withAnswerSchema<R extends { readonly params: ModelParams }>(
  prepared: R,
  schema: JsonSchema,
  can: ModelCapabilities | undefined,
): R {
  const { params } = prepared
  if (can?.structuredOutput !== 'schema' || params.response_format) return prepared
  if (params.tools && params.tools.length > 0 && !can.structuredOutputWithTools) return prepared
  const format = toWireFormat(schema)
  return { ...prepared, params: { ...params, response_format: format }, fixed: false }
}

/** The check of answers against the schema of a `response_format`. */
export interface AnswerCheck {
  readonly validate: ReturnType<typeof validation>
  /** The schema as JSON Schema, before an adapter fits it to its vendor. */
  readonly schema: JsonSchema
}

/** Checks, or why there is none, by the schemas of callers: one is read once as long as it is the same. Texts as in `WRAPPED`. */
const CHECKS = new WeakMap<object, { readonly check: AnswerCheck | string; readonly text: string }>()

/**
 * Returns the check of answers by a `response_format`, as it was given and in the form of the wire: by the own validator of a
 * library, or by the JSON Schema. Undefined for a format without a schema, and a text for one that nothing can be checked against.
 */
export function answerCheckFor(given: unknown, format: unknown): AnswerCheck | string | undefined {
  const schema = (format as { json_schema?: { schema?: JsonSchema } } | undefined)?.json_schema?.schema
  if (typeof schema !== 'object' || schema === null) return undefined
  const isOfLibrary = '~standard' in (given as object)
  const key = isOfLibrary ? (given as object) : schema
  const text = isOfLibrary ? '' : JSON.stringify(schema)
  const known = CHECKS.get(key)
  if (known?.text === text) return known.check
  const problem = isOfLibrary ? undefined : problemOfSchema(schema)
  const check = problem ?? { validate: validation(key, schema), schema }
  CHECKS.set(key, { check, text })
  return check
}

/**
 * Returns what does not fit in the text of an answer. Where the validator of a library takes time and the call is blocking, the
 * JSON Schema counts.
 */
export function issuesOf(text: string, check: AnswerCheck, isBlocking: boolean): MaybePromise<readonly ToolIssue[]> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return [{ path: [], message: 'is not JSON' }]
  }
  const valid = check.validate(value)
  if (!isThenable(valid)) return issuesIn(valid)
  if (!isBlocking) return valid.then(issuesIn)
  valid.then(undefined, () => {})
  return issuesIn(validatorFor(check.schema)(value))
}

const issuesIn = (valid: Awaited<ReturnType<AnswerCheck['validate']>>): readonly ToolIssue[] =>
  'issues' in valid ? valid.issues : []

/** Most issues that a warning names. */
const MAX_TOLD_ISSUES = 5

/** Names issues by their places, whatever the index in a list, so that one problem of many answers is one text. */
export function placesText(issues: readonly ToolIssue[]): string {
  const texts = new Set(
    issues.map(({ path, message }) =>
      issuesText([{ message, path: path.map((step) => (typeof step === 'number' ? '*' : step)) }]),
    ),
  )
  return [...texts].slice(0, MAX_TOLD_ISSUES).join('; ')
}
