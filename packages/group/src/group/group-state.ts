import type { ChatMessage, EventBody, LlmConfig, Model } from '@x/interfaces'
import { nextAgent, type Group } from './group.ts'
import { groupSettings, type GroupChatOptions, type GroupSettings } from './group-options.ts'
import type { Followers } from './transitions.ts'
import type { ConversableAgent } from '@x/agent'
import type { ManagerRole } from '@x/agent/steps'
import { groupMessage } from './group-messages.ts'

/** All mutable state of a group; used by the steps, not by the public methods. */
export interface GroupState {
  /** The group as functions are given it. */
  readonly group: Group
  readonly settings: GroupSettings
  readonly followers: Followers
  /** Frozen, oldest first; a new array when it is cleared. */
  messages: ChatMessage[]
  /** Whether a run is under way. */
  running: boolean
  /** The model that chooses speakers, and of which config it was made; null before the first choice. */
  selector: SelectorModel | null
  /** Warnings that were given already. */
  readonly warned: Set<string>
}

/** A model that chooses speakers. */
export interface SelectorModel {
  readonly config: LlmConfig
  readonly model: Model
  /** Whether its usage is its own, and not that of the agent in whose name it is asked. */
  readonly ownUsage: boolean
}

/** The state of a group. */
export const groupStateOf = (group: Group): GroupState =>
  (group as { readonly '~state'?: unknown })['~state'] as GroupState

/** Gives the warning of a text the first time that it is due. */
export function warningOf(state: GroupState, agent: string | null, text: string): EventBody | null {
  if (state.warned.has(text)) return null
  state.warned.add(text)
  return { type: 'warning', agent, topic: 'group', text }
}

/** Sends an event outside of runs: to the `io` of the group. */
export function report({ settings: { io } }: GroupState, event: EventBody): void {
  if (io.takes && !io.takes.has(event.type)) return
  void io.send({ ...event, chatId: null, agentPath: event.agent === null ? null : [event.agent] })
}

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

/** The part that the manager of a group plays in its chats. */
export const managerRole = (state: GroupState): ManagerRole => ({
  members: () => state.settings.agents,
  models: () => (state.selector?.ownUsage ? [state.selector.model] : []),
  clear() {
    state.messages = []
  },
  summaryMessages(sender, method) {
    // What a member has heard is the whole chat; who is none has heard nothing.
    const isMember = state.settings.agents.some((agent) => agent === sender)
    return state.messages.length === 0 || (isMember && method === 'last_msg') ? null : state.messages
  },
  save: () => state.messages,
  load(saved) {
    state.messages = (saved as ChatMessage[]).map((message) => Object.freeze({ ...message }))
  },
  closeCalls(answer) {
    const message = answer(state.messages.at(-1) ?? {})
    if (message) state.messages.push(groupMessage(message, message.name ?? ''))
  },
})
