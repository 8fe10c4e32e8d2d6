import { isRecord, toolExtras, type CheckedParams, type LowerContext } from '@x/provider-kit'
import type { AnthropicModelFamily } from './family.ts'

/** A tool as the provider takes it. */
export type WireTool = Record<string, unknown>

/** Returns tools as the provider takes them; tools in the form of the provider pass. */
export function lowerTools(
  tools: CheckedParams['tools'],
  { names, schemas, warn }: LowerContext,
  { schema: table }: AnthropicModelFamily,
): WireTool[] {
  return tools.map((tool) => {
    if (!tool.function) return { ...tool }
    const { name, description, parameters: given, strict: isStrict } = tool.function
    const { parameters, strict } = schemas.tool(name, given, isStrict === true ? table : undefined)
    return {
      name: names.to(name),
      ...(description && { description }),
      input_schema: parameters,
      ...(strict && { strict }),
      ...toolExtras(tool, 'anthropic', warn),
    }
  })
}

/** Declares the tools that a conversation has called, for a request without tools: the provider refuses calls of undeclared ones. */
export function calledTools(messages: readonly { readonly content: readonly WireTool[] }[]): WireTool[] {
  const names = messages.flatMap(({ content }) =>
    content.flatMap(({ type, name }) => (type === 'tool_use' ? [name as string] : [])),
  )
  return [...new Set(names)].map((name) => ({ name, input_schema: { type: 'object' } }))
}

/** Returns the choice of a tool as the provider takes it; undefined when the model may choose and make parallel calls. */
export function lowerToolChoice(
  { tools, tool_choice: choice, function_call: older, parallel_tool_calls: parallel, own }: CheckedParams,
  { names, warn }: Pick<LowerContext, 'names' | 'warn'>,
): Record<string, unknown> | undefined {
  const given = choice ?? older
  const lowered = choiceOf(given, names) ?? (isRecord(own['tool_choice']) ? own['tool_choice'] : undefined)
  if (given !== undefined && !lowered && tools.length > 0) {
    warn('tool_choice', 'the choice of a tool was left out: the provider does not know this form of it')
  }
  if (parallel !== false) return lowered
  // The switch for parallel calls is part of the choice, so there must be one.
  const { type = 'auto' } = lowered ?? {}
  return type === 'none' ? lowered : { ...lowered, type, disable_parallel_tool_use: true }
}

function choiceOf(choice: unknown, names: LowerContext['names']): Record<string, unknown> | undefined {
  if (choice === 'auto' || choice === 'none') return { type: choice }
  if (choice === 'required' || choice === 'any') return { type: 'any' }
  if (!isRecord(choice)) return undefined
  const called: unknown = choice['function'] ?? (choice['type'] === undefined ? choice : undefined)
  const name: unknown = isRecord(called) ? called['name'] : undefined
  if (typeof name === 'string') return { type: 'tool', name: names.to(name) }
  return OWN_CHOICES.has(choice['type']) ? { ...choice } : undefined
}

/** Types of choices in the form of the provider. */
const OWN_CHOICES: ReadonlySet<unknown> = new Set(['auto', 'any', 'tool', 'none'])

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
  { structured, schema: table }: AnthropicModelFamily,
  { tools, schemas }: { readonly tools: readonly WireTool[]; readonly schemas: LowerContext['schemas'] },
): AnswerFormat {
  if (!json) return {}
  const { schema } = json
  if (structured && schema) {
    return { output: { format: { type: 'json_schema', schema: schemas.answer(schema, table) } } }
  }
  const taken = new Set(tools.map(({ name }) => name))
  let name = 'json'
  while (taken.has(name)) name = `${name}_`
  const description = 'Gives the answer; it must be called.'
  const isObject = schema?.['type'] === 'object' && COMBINING_KEYWORDS.every((key) => schema[key] === undefined)
  const fitted = schema && (isObject ? schema : schemas.answer(schema, table, true))
  return { tool: { name, description, input_schema: fitted ?? { type: 'object', additionalProperties: true } } }
}
