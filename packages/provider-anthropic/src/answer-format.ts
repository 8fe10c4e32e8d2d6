import type { CheckedParams } from '@x/provider-kit'
import type { AnthropicModelFamily } from './family.ts'
import type { WireTool } from './lower-tools.ts'

/** Parameters that ask for an answer in JSON. */
export interface AnswerFormat {
  /** Part of `output_config`. */
  readonly output?: { format: object }
  /** The tool that stands for an answer in JSON. */
  readonly tool?: WireTool
}

/** Asks for an answer in JSON as the model allows: directly, or as the arguments of a tool with a unique name. */
export function lowerFormat(
  json: CheckedParams['json'],
  { structured }: AnthropicModelFamily,
  tools: readonly WireTool[],
): AnswerFormat {
  if (!json) return {}
  const { schema } = json
  if (structured && schema) return { output: { format: { type: 'json_schema', schema: outputSchema(schema) } } }
  const taken = new Set(tools.map(({ name }) => name))
  let name = 'json'
  while (taken.has(name)) name = `${name}_`
  const description = 'Gives the answer; it must be called.'
  return { tool: { name, description, input_schema: schema ?? { type: 'object', additionalProperties: true } } }
}

/** A JSON Schema while it is rewritten. */
type Schema = Record<string, unknown>

/** Keywords that structured output does not know; the description names them instead. */
const DESCRIBED_KEYWORDS = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])

/** Keywords that mean nothing to a model. */
const DROPPED_KEYWORDS = new Set(['$schema', '$id', 'propertyNames', 'patternProperties', 'default', 'examples'])

const SUPPORTED_FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/** Returns a JSON Schema as structured output takes it: objects closed, `oneOf` as `anyOf`. The given schema is not changed. */
function outputSchema(schema: object): Schema {
  const given = schema as Schema
  const out: Schema = {}
  const described: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (DROPPED_KEYWORDS.has(key)) continue
    const isMinimum = key === 'minItems' && typeof value === 'number' && value > 1
    const isUnknownFormat = key === 'format' && !SUPPORTED_FORMATS.has(String(value))
    if (DESCRIBED_KEYWORDS.has(key) || isMinimum || isUnknownFormat) described.push(`${key}: ${JSON.stringify(value)}`)
    else out[key === 'oneOf' ? 'anyOf' : key] = schemaPart(key, value)
  }
  if (described.length > 0)
    out['description'] = [given['description'], `(${described.join(', ')})`].filter(Boolean).join(' ')
  if (out['type'] === 'object' || out['properties'] !== undefined) out['additionalProperties'] = false
  return out
}

function schemaPart(key: string, value: unknown): unknown {
  if (key === 'enum' || key === 'const' || key === 'required' || typeof value !== 'object' || value === null)
    return value
  if (Array.isArray(value)) return value.map((part: unknown) => schemaPart('', part))
  if (key === 'properties' || key === '$defs' || key === 'definitions') {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, outputSchema(part as object)]))
  }
  return outputSchema(value)
}
