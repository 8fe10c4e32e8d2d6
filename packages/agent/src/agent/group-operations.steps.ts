import type { Agent, Model, SharedVariables, Tool, ToolCall, ToolContext, ToolResponse } from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { openConversation, stateOf } from '../memory/state.ts'
import type { MappedFunction } from '../options/operations.ts'
import { withAllMembers } from '../memory/members.ts'
import { participantsIn } from '../run/participants.ts'
import { inReply } from '../run/side-by-side.steps.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { callFor as callOf } from '../tool/tool-calls.steps.ts'
import { mappedTool } from '../tool/tool.ts'

/** Context variables, and the map that holds them. */
interface VariableStore {
  readonly variables: SharedVariables
  readonly values: Map<string, unknown>
}

/**
 * Runs steps with context variables of their own: tools, hooks and reply functions in them are given these. An `owner`
 * keeps them in place of its own, so that a journal keeps them with that agent. Agents that are made in the steps may have
 * the names of others outside.
 */
export function* withVariables<T>(owner: Agent, { variables, values }: VariableStore, steps: Steps<T>): Steps<T> {
  stateOf(owner).context = values
  const scope = scopeIn(yield* currentRun())
  const participants = scope.participants && participantsIn(scope.participants)
  return yield* inScope(scope.inner({ variables, participants }), steps)
}

/** How a call is made for an agent. */
interface CallForOptions {
  /** The function to call; without one the result says that there is none of the name. */
  readonly mapped: MappedFunction | undefined
  /** Name of who makes the call, in events. */
  readonly recipient: string
}

/** What came of a call that was made for an agent. */
interface CallResult {
  readonly success: boolean
  /** The result as it is, or the text of what went wrong. */
  readonly content: unknown
  readonly arguments: unknown
}

/**
 * Makes one call for the agent whose message asked for it, with the vetting, the approvals and the name of that agent.
 * The result is not made into text; with a journal it has to be plain JSON.
 */
export const callFor = (agent: Agent, call: ToolCall, { mapped, recipient }: CallForOptions): Steps<CallResult> =>
  callOf(stateOf(agent), call, { mapped: mapped && rawOf(mapped), recipient })

/** A function with its result as it is. */
function rawOf(mapped: MappedFunction): MappedFunction {
  const { raw, needsApproval } = mapped
  return raw ? Object.assign((args: never, context: ToolContext) => raw(args, context), { needsApproval }) : mapped
}

/** The function that an agent has under a name: of its function map, or of a tool that its model is told of. */
export function functionOf(agent: Agent, name: string): MappedFunction | undefined {
  const { functionMap, tools } = stateOf(agent)
  const its = functionMap?.get(name)
  if (its) return its
  const tool = tools.find((each) => each.name === name)
  return tool && mappedTool(tool)
}

/** The names of the tools that an agent's model is told of. */
export function toolNamesOf(agent: Agent): readonly string[] {
  const { llmConfig, tools } = stateOf(agent)
  const told = (llmConfig ? (llmConfig.config['tools'] ?? []) : []) as readonly {
    readonly function?: { readonly name?: string }
  }[]
  return [...tools.map(({ name }) => name), ...told.flatMap((each) => each.function?.name ?? [])]
}

/** Forgets the conversation of an agent with another that takes part in nothing any more. */
export function forgetConversation(agent: Agent, counterpart: Agent): void {
  const { conversations } = stateOf(agent)
  if (!conversations.get(counterpart)?.chats) conversations.delete(counterpart)
}

/** The function that a call of a tool names: it checks the arguments, and its `raw` gives the result as it is. */
export const functionOfTool = (its: Tool): MappedFunction => mappedTool(its)

/** The models of some agents, and of those that they manage; each once. */
export const modelsOf = (agents: readonly Agent[]): readonly Model[] => [
  ...new Set(
    [...withAllMembers(agents.map(stateOf))].flatMap(({ model, managerRole }) => [
      ...(model ? [model] : []),
      ...(managerRole?.models() ?? []),
    ]),
  ),
]

/** Runs what happens in a reply of an agent in a scope of its own, so that its events say whose reply it is. */
export const inReplyOf = <T>(agent: Agent, steps: Steps<T>): Steps<T> => inReply(agent, steps)

/** Notes what the calls of an agent's last message have answered so far, for a run that is stopped; null when all are. */
export function* noteAnswers(agent: Agent, counterpart: Agent, answered: ToolResponse[] | null): Steps<void> {
  const { chat } = scopeIn(yield* currentRun())
  openConversation(stateOf(agent), counterpart, chat).answered = answered
}

/** Whether a journal keeps what is answered here. */
export function* isRecorded(): Steps<boolean> {
  return scopeIn(yield* currentRun()).recorder !== null
}
