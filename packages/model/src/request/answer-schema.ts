import type { JsonSchema, ModelCapabilities } from '@x/interfaces'
import type { PreparedRequest } from './prepare-request.ts'
import { wrapSchema } from './response-format.ts'

/**
 * Adds a `response_format` for the shape of the answer, if the model is known to take one beside these tools and the
 * request has none.
 */
export function withAnswerSchema(
  prepared: PreparedRequest,
  schema: JsonSchema,
  can: ModelCapabilities | undefined,
): PreparedRequest {
  const { params } = prepared
  if (can?.structuredOutput !== 'schema' || params.response_format) return prepared
  if (params.tools && params.tools.length > 0 && !can.structuredOutputWithTools) return prepared
  const format = wrapSchema(schema, isClosed(schema))
  return { ...prepared, params: { ...params, response_format: format }, fixed: false }
}

/**
 * Whether every object of a schema has nothing but required properties. Strict mode would make the others nullable, and an
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
