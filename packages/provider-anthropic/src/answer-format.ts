import type { CheckedParams } from '@x/provider-kit'
import type { AnthropicModelFamily } from './family.ts'
import { outputSchema } from './json-schema.ts'
import type { WireTool } from './lower-tools.ts'

/** Parameters that ask for an answer in JSON. */
export interface AnswerFormat {
  /** Part of `output_config`. */
  readonly output?: { format: object }
  /** The tool that stands for an answer in JSON. */
  readonly tool?: WireTool
}

/** Asks for an answer in JSON as the model allows: directly, or as the arguments of a tool whose name no other tool has. */
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
