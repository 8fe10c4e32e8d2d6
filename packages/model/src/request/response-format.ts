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
  if (!standard) return WIRE_FORMAT_TYPES.has(String(data['type'])) ? format : wrapSchema(data)
  if (!standard.jsonSchema) {
    throw new XError(
      'invalid-argument',
      '`response_format` is a schema that cannot give a JSON Schema: use zod 4.2 or newer, or write the JSON Schema',
    )
  }
  return wrapSchema(standard.jsonSchema.output({ target: 'draft-2020-12' }))
}

/** The part of a Standard Schema that produces a JSON Schema. */
interface StandardJson {
  readonly jsonSchema?: { output(options: { target: string }): Record<string, unknown> }
}

/** Wraps a JSON Schema in the wire's form; in `strict` mode a model cannot answer anything else. */
function wrapSchema(given: Readonly<Record<string, unknown>>, strict = true): object {
  const schema = { ...given }
  delete schema['$schema']
  const title = typeof schema['title'] === 'string' ? schema['title'] : 'response'
  return {
    type: 'json_schema',
    json_schema: { name: title.replaceAll(/[^\w-]/gu, '_').slice(0, 64), schema, strict },
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
  const format = wrapSchema(schema, isClosed(schema))
  return { ...prepared, params: { ...params, response_format: format }, fixed: false }
}

/**
 * Tells whether all properties of every object in a schema are required. Strict mode would make the others nullable, and an
 * answer with null in their place would not fit.
 */
function isClosed(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  if (Array.isArray(schema)) return schema.every(isClosed)
  const { type, properties, required, additionalProperties, patternProperties } = schema as JsonSchema
  if (type === 'object' || properties) {
    const names = Object.keys((properties as object | undefined) ?? {})
    const needed = new Set(Array.isArray(required) ? (required as string[]) : [])
    if (names.length === 0 || names.some((name) => !needed.has(name))) return false
    if ((typeof additionalProperties === 'object' && additionalProperties !== null) || patternProperties) return false
  }
  return Object.values(schema).every(isClosed)
}
