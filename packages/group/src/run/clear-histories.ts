import { shortenHistory } from '@x/agent/steps'
import type { ChatMessage, EventBody } from '@x/interfaces'
import type { GroupState } from '../group/group-state.ts'
import { readClearCommand } from './clear-command.ts'

/** The result of clearing by a command: the text without the command, and the events that tell of it. */
export interface ClearedHistories {
  readonly text: string
  readonly events: readonly EventBody[]
}

/** Clears histories as the command in a message says; a text without a command stays as it is. */
export function clearHistories(state: GroupState, reply: ChatMessage, manager: string): ClearedHistories {
  const text = typeof reply.content === 'string' ? reply.content : ''
  const command = readClearCommand(text, state.group.agentNames)
  if (!command) return { text, events: [] }
  const events: EventBody[] = []
  // Without the calls that they answer, providers refuse results.
  const keepsCall = Boolean(reply.tool_responses) && !command.preserved
  const preserved = keepsCall ? 1 : command.preserved
  if (keepsCall) {
    events.push({
      type: 'warning',
      agent: manager,
      topic: 'group',
      text: 'the last message is kept where histories are cleared, so that the results of tools stay with their calls',
    })
  }
  const { member } = command
  events.push({ type: 'clearAgentsHistory', agent: member, nrMessagesToPreserve: preserved })
  if (member === null) state.messages = preserved ? state.messages.slice(-preserved) : []
  for (const agent of state.settings.agents) {
    if (member !== null && agent.name !== member) continue
    if (!preserved) agent.clearHistory()
    const event = preserved ? shortenHistory(agent, preserved) : undefined
    if (event) events.push(event)
  }
  return { text: command.rest, events }
}
