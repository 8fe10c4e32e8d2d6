import type { ConversableAgent } from '@x/agent'
import type { Group } from './group.ts'
import { groupSettings, type GroupChatOptions } from './group-options.ts'
import type { GroupState } from './group-state.ts'
import { nextAgent } from './next-agent.ts'

/** Makes the state of a group that no `GroupChat` shows: anyone may follow anyone. */
export function newGroupState(options: GroupChatOptions): GroupState {
  const settings = groupSettings(options)
  const group: Group = {
    agents: settings.agents,
    agentNames: settings.agents.map(({ name }) => name),
    get messages() {
      return state.messages
    },
    maxRound: settings.maxRound,
    agentByName: (name) => settings.agents.find((agent) => agent.name === name) ?? null,
    nextAgent: (agent, agents): ConversableAgent => nextAgent(settings.agents, agent, agents),
  }
  const state: GroupState = {
    group,
    settings,
    followers: new Map(),
    messages: [],
    running: false,
    selector: null,
    warned: new Set(),
  }
  return state
}
