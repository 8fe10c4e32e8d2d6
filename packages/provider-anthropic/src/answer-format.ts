import type { CheckedParams, LowerContext } from '@x/provider-kit'
import type { AnthropicModelFamily } from './family.ts'
import type { WireTool } from './lower-tools.ts'

/** Parameters that ask for an answer in JSON. */
export interface AnswerFormat {
  /** Part of `output_config`. */
  readonly output?: { format: object }
  /** The tool that stands for an answer in JSON. */
  readonly tool?: WireTool
}

/** Keywords that the provider refuses at the top of a tool's schema. */
const COMBINING_KEYWORDS = ['oneOf', 'anyOf', 'allOf', 'not', 'enum']

/** Asks for an answer in JSON as the model allows: directly, or as the arguments of a tool with a unique name. */
export function lowerFormat(
  json: CheckedParams['json'],
  { structured }: AnthropicModelFamily,
  { tools, schemas }: { readonly tools: readonly WireTool[]; readonly schemas: LowerContext['schemas'] },
): AnswerFormat {
  if (!json) return {}
  const { schema } = json
  if (structured && schema) {
    return { output: { format: { type: 'json_schema', schema: schemas.answer(schema, 'anthropic-strict') } } }
  }
  const taken = new Set(tools.map(({ name }) => name))
  let name = 'json'
  while (taken.has(name)) name = `${name}_`
  const description = 'Gives the answer; it must be called.'
  const isObject = schema?.['type'] === 'object' && COMBINING_KEYWORDS.every((key) => schema[key] === undefined)
  const fitted = schema && (isObject ? schema : schemas.answer(schema, 'anthropic-strict', true))
  return { tool: { name, description, input_schema: fitted ?? { type: 'object', additionalProperties: true } } }
}
