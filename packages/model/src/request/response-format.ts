import { XError } from '@x/kernel'

const WIRE_TYPES = new Set(['text', 'json_object', 'json_schema'])

/**
 * Gives the wire's form of a `response_format`: itself, or, for a JSON Schema or a schema of zod or another library that
 * can give one, that JSON Schema.
 */
export function responseFormat(format: unknown): unknown {
  if ((typeof format !== 'object' && typeof format !== 'function') || format === null) return format
  const data = format as Record<string, unknown> & { '~standard'?: StandardJson }
  const standard = data['~standard']
  if (!standard) return WIRE_TYPES.has(String(data['type'])) ? format : wrapSchema(data)
  if (!standard.jsonSchema) {
    throw new XError(
      'invalid-argument',
      '`response_format` is a schema that cannot give a JSON Schema: use zod 4.2 or newer, or write the JSON Schema',
    )
  }
  return wrapSchema(standard.jsonSchema.output({ target: 'draft-2020-12' }))
}

interface StandardJson {
  readonly jsonSchema?: { output(options: { target: string }): Record<string, unknown> }
}

/** Wraps a JSON Schema in the wire's form; in `strict` mode a model can answer nothing else. */
export function wrapSchema(given: Readonly<Record<string, unknown>>, strict = true): object {
  const schema = { ...given }
  delete schema['$schema']
  const title = typeof schema['title'] === 'string' ? schema['title'] : 'response'
  return {
    type: 'json_schema',
    json_schema: { name: title.replaceAll(/[^\w-]/gu, '_').slice(0, 64), schema, strict },
  }
}
