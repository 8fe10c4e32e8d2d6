import { tool, type OutputOf, type Parameters, type ToolDefinition } from '@x/agent'
import type { Agent, JsonSchema, MaybePromise, SharedVariables, Tool, ToolContext } from '@x/interfaces'

/** A tool of a group with variables of a type. */
interface GroupToolDefinition<C extends object, P extends Parameters, R> extends Omit<ToolDefinition<P, R>, 'execute'> {
  /** Does the work; what it sets in `contextVariables` holds for the whole group at once. */
  readonly execute: (
    args: OutputOf<P>,
    context: Omit<ToolContext, 'contextVariables' | 'caller'> & {
      readonly contextVariables: SharedVariables<C>
      readonly caller: Agent
    },
  ) => MaybePromise<R>
}

/** Makes a tool that knows the types of a group's context variables: `groupTool<Variables>()({ name, execute, … })`. */
export const groupTool =
  <C extends object>() =>
  <P extends Parameters = JsonSchema, R = unknown>(definition: GroupToolDefinition<C, P, R>): Tool<OutputOf<P>, R> =>
    tool(definition as unknown as ToolDefinition<P, R>)
