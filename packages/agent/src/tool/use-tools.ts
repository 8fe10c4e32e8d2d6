import type { Agent, Tool } from '@x/interfaces'
import { XError } from '@x/kernel'
import { stateOf, type State } from '../memory/state.ts'
import type { MappedFunction } from '../options/operations.ts'
import { addFunctions } from './function-map.ts'
import { updateToolSignature } from './signatures.ts'
import { asTool, mappedTool, toolSchema } from './tool.ts'
import { warnOfTimeout } from './warn-of-timeout.ts'

/** Gives an agent tools: its model is told of them, and their functions go with its calls. */
export function useTools(state: State, tools: readonly Tool[]): void {
  for (const { name } of tools) {
    if (!state.functionMap?.has(name) && !state.tools.some((each) => each.name === name)) continue
    throw new XError(
      'invalid-argument',
      `cannot give \`${state.name}\` the tool \`${name}\`: it has another one of that name; rename one of them`,
      { details: { name } },
    )
  }
  for (const its of tools) {
    const tool = asTool(its, {})
    warnOfTimeout(state, tool)
    const mapped = mappedTool(tool)
    addFunctions(state, { [tool.name]: mapped })
    state.ownTools ??= new Map()
    state.ownTools.set(tool.name, mapped)
    if (!state.llmConfig) continue
    updateToolSignature(state, toolSchema(tool))
    state.tools = [...state.tools, tool]
  }
}

/** The function that a call names: one of the agent that executes it, or else one that the caller brings along. */
export const functionFor = (state: State, caller: Agent | null, name: string): MappedFunction | undefined =>
  state.functionMap?.get(name) ?? (caller && stateOf(caller)?.ownTools?.get(name)) ?? undefined
