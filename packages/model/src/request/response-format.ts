import type { JsonSchema, ModelCapabilities, ModelParams } from '@x/interfaces'
import { XError } from '@x/kernel'

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
