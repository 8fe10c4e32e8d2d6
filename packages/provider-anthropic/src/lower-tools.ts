import { isRecord, objectSchema, type NameMap } from '@x/provider-kit'

/** A tool as the provider takes it. */
export type WireTool = Record<string, unknown>

interface GivenTool {
  type?: string
  function?: { name: string; description?: string; parameters?: object; strict?: boolean }
  cache_control?: unknown
}

/** Gives tools as the provider takes them; those in its own form pass. */
export function lowerTools(tools: unknown, functions: unknown, names: NameMap): WireTool[] {
  const given = [
    ...(Array.isArray(tools) ? (tools as GivenTool[]) : []),
    ...(Array.isArray(functions) ? (functions as GivenTool['function'][]) : []).map((fn): GivenTool => ({
      function: fn!,
    })),
  ]
  return given.map((tool) => {
    if (!tool.function) return { ...(tool as WireTool) }
    const { name, description, parameters, strict } = tool.function
    return {
      name: names.to(name),
      ...(description && { description }),
      input_schema: objectSchema(parameters),
      ...(strict === true && { strict }),
      ...(tool.cache_control !== undefined && { cache_control: tool.cache_control }),
    }
  })
}

/** Tools that a conversation has called, for a request that brings none: calls without their tools are refused. */
export function calledTools(messages: readonly { readonly content: readonly WireTool[] }[]): WireTool[] {
  const names = messages.flatMap(({ content }) =>
    content.flatMap(({ type, name }) => (type === 'tool_use' ? [name as string] : [])),
  )
  return [...new Set(names)].map((name) => ({ name, input_schema: { type: 'object' } }))
}

/** Gives the choice of a tool as the provider takes it; nothing when it is the model's and parallel calls are allowed. */
export function lowerToolChoice(
  choice: unknown,
  parallel: unknown,
  names: NameMap,
): Record<string, unknown> | undefined {
  const lowered = choiceOf(choice, names)
  if (parallel !== false) return lowered
  // The switch for parallel calls is part of the choice, which must then be there.
  const { type = 'auto' } = lowered ?? {}
  return type === 'none' ? lowered : { ...lowered, type, disable_parallel_tool_use: true }
}

function choiceOf(choice: unknown, names: NameMap): Record<string, unknown> | undefined {
  if (choice === 'auto' || choice === 'none') return { type: choice }
  if (choice === 'required' || choice === 'any') return { type: 'any' }
  if (!isRecord(choice)) return undefined
  const called: unknown = choice['function'] ?? (choice['type'] === undefined ? choice : undefined)
  const name: unknown = isRecord(called) ? called['name'] : undefined
  return typeof name === 'string' ? { type: 'tool', name: names.to(name) } : { ...choice }
}
