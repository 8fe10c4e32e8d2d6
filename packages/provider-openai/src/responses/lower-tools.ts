import { isRecord, objectSchema, type CheckedParams, type LowerContext } from '@x/provider-kit'
import type { FunctionSchema } from '@x/interfaces'
import { strictSchema } from '../strict-schema.ts'
import type { Item } from './own-items.ts'

type NameMap = LowerContext['names']

/** Returns tools, and the parameters that steer them, as the endpoint takes them; nothing without tools. */
export function lowerTools(params: CheckedParams, names: NameMap): Item {
  const { tools, tool_choice: choice, function_call: older, parallel_tool_calls: parallel } = params
  if (tools.length === 0) return {}
  const chosen = choice ?? (isRecord(older) ? { type: 'function', function: older } : older)
  return {
    tools: tools.map((tool) => lowerTool(tool, names)),
    ...(chosen !== undefined && { tool_choice: lowerChoice(chosen, names) }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  }
}

/** Values to ask for beside the answer, so that results of the provider's own tools can be read. */
export const resultsOf = ({ tools }: CheckedParams): string[] =>
  tools.flatMap(({ type, function: declared }) => (declared ? [] : (RESULTS[String(type)] ?? [])))

const RESULTS: Readonly<Record<string, string>> = {
  web_search: 'web_search_call.action.sources',
  file_search: 'file_search_call.results',
  code_interpreter: 'code_interpreter_call.outputs',
}

function lowerTool(tool: CheckedParams['tools'][number], names: NameMap): Item {
  const { function: declared, ...rest } = tool
  if (declared) return { ...rest, type: 'function', ...lowerFunction(declared, names) }
  const { custom, ...others } = rest
  // Tools of the provider pass as they are.
  if (!isRecord(custom)) return others
  const { format } = custom
  const grammar = isRecord(format) && isRecord(format['grammar']) ? { type: 'grammar', ...format['grammar'] } : format
  return { ...others, type: 'custom', ...custom, ...(format !== undefined && { format: grammar }) }
}

/** Without a word about it, the endpoint would close the schema and require every property. */
function lowerFunction(declared: FunctionSchema, names: NameMap): Item {
  const { parameters, strict = false } = declared
  const plain = objectSchema(parameters)
  const whole = plain['properties'] === undefined ? { ...plain, properties: {} } : plain
  return { ...declared, name: names.to(declared.name), parameters: strict ? strictSchema(whole) : whole, strict }
}

/** Names stand beside the type here, and in an object of their own in chat completions. */
function lowerChoice(choice: unknown, names: NameMap): unknown {
  if (!isRecord(choice)) return choice
  const { function: called, custom, allowed_tools: allowed, ...rest } = choice
  if (isRecord(called)) return { ...rest, type: 'function', name: names.to(String(called['name'])) }
  if (isRecord(custom)) return { ...rest, ...custom }
  if (!isRecord(allowed)) return choice
  const { tools } = allowed
  const each = Array.isArray(tools) ? tools.map((tool: unknown) => lowerChoice(tool, names)) : tools
  return { ...rest, ...allowed, tools: each }
}
