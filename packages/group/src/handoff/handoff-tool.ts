import { tool } from '@x/agent'
import type { MaybePromise, Tool, ToolContext, ToolSchema } from '@x/interfaces'
import { functionOfTool } from '@x/agent/steps'
import { filledText } from './filled-text.ts'
import type { ToolHandoff } from './handoff.ts'
import { toolNamePart } from './target-text.ts'

/** A handoff as a tool of the model of a member. */
export interface HandoffTool {
  readonly name: string
  readonly handoff: ToolHandoff<never>
  readonly tool: Tool
}

/** Makes the tool of a handoff; `index` is its place among those with words, from 1. */
export function handoffTool(handoff: ToolHandoff<never>, index: number, part?: string): HandoffTool {
  const name = handoff.toolName ?? `transfer_to_${part ?? toolNamePart(handoff.to)}_${index}`
  const its = tool({
    name,
    description: handoff.when,
    ...(handoff.input && { parameters: handoff.input }),
    needsApproval: handoff.needsApproval,
    execute: (args: unknown) => args,
  })
  return { name, handoff, tool: its }
}

/** The tool as the model is told of it now. */
export const toolSchemaOf = (
  { name, handoff, tool: its }: HandoffTool,
  variables: Readonly<Record<string, unknown>>,
  onMissing: (name: string) => void,
): ToolSchema => ({
  type: 'function',
  function: { name, description: filledText(handoff.when, variables, onMissing), parameters: its.parameters },
})

/** The function of the tool: it checks the arguments and gives them. */
export function argumentsOf({ tool: its }: HandoffTool): {
  readonly raw: (args: unknown, context: ToolContext) => MaybePromise<unknown>
  readonly needsApproval: Tool['needsApproval']
} {
  const mapped = functionOfTool(its)
  const raw = mapped.raw as (args: unknown, context: ToolContext) => MaybePromise<unknown>
  return { raw, needsApproval: mapped.needsApproval }
}
