import type { ConversableAgent } from '@x/agent'
import type { Agent, ChatMessage } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { GroupState } from '../group/group-state.ts'

/** The members that may speak next. */
export interface Candidates {
  readonly agents: readonly ConversableAgent[]
  /** Whether the only one speaks because it executes the calls of the last message, whatever the other rules say. */
  readonly executes: boolean
}

/** The members that may follow the last speaker, in the order of the group. */
export function candidatesFor({ settings, followers, messages }: GroupState, lastSpeaker: Agent): Candidates {
  const { agents, allowRepeatSpeaker: repeat } = settings
  const calls = settings.funcCallFilter ? calledFunctions(messages.at(-1)) : null
  const able = calls ? executorsOf(agents, calls) : agents
  if (calls && able.length === 1) return { agents: able, executes: true }
  const candidates =
    repeat === null || mayRepeat(settings, lastSpeaker) ? able : able.filter((agent) => agent !== lastSpeaker)
  // Whoever speaks from outside may be followed by anyone.
  if (!agents.some((agent) => agent === lastSpeaker)) return { agents: candidates, executes: false }
  const allowed = followers.get(lastSpeaker)
  // A member that nobody was given for has no followers, whoever could execute its calls.
  if (!allowed) return { agents: [], executes: false }
  const eligible = candidates.filter((agent) => allowed.includes(agent))
  // Calls that are answered by nobody are refused by providers.
  return { agents: eligible.length === 0 && calls ? candidates : eligible, executes: false }
}

/** Whether the group allows an agent to speak twice in a row; transitions may say so, too. */
export const mayRepeat = ({ allowRepeatSpeaker: repeat }: GroupState['settings'], agent: Agent): boolean =>
  Array.isArray(repeat) ? (repeat as readonly Agent[]).includes(agent) : repeat === true

/** The names of the functions that a message calls; null for a message without calls. */
function calledFunctions(message: ChatMessage | undefined): string[] | null {
  const { function_call: call, tool_calls: calls } = message ?? {}
  if (!call && !calls) return null
  const functions = calls?.filter(({ type }) => (type ?? 'function') === 'function').map((each) => each.function.name)
  return [...(call ? [call.name] : []), ...(functions ?? [])]
}

/** The members that have all of some functions, or else those that have any function: one has to answer. */
function executorsOf(agents: readonly ConversableAgent[], names: readonly string[]): readonly ConversableAgent[] {
  const able = agents.filter((agent) => agent.canExecuteFunction(names))
  if (able.length > 0) return able
  const willing = agents.filter(({ functionMap }) => Object.keys(functionMap).length > 0)
  if (willing.length > 0) return willing
  throw new XError(
    'no-executor',
    `the calls of ${names.map((name) => `\`${name}\``).join(', ')} cannot be answered: no member of the group has any function; register them with one by \`registerForExecution\`, or set \`funcCallFilter: false\``,
    { details: { functions: names } },
  )
}
