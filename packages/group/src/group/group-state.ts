import type { ConversableAgent } from '@x/agent'
import { internalsOf, type ManagerRole } from '@x/agent/steps'
import type { ChatMessage, EventBody, LlmConfig, Model } from '@x/interfaces'
import { eventOutside } from '@x/kernel/run'
import { nextAgent, type Group } from './group.ts'
import { toGroupMessage } from './group-messages.ts'
import { readGroupOptions, type GroupChatOptions, type GroupSettings } from './group-options.ts'
import type { Followers } from './transitions.ts'

/** All mutable state of a group; used by the steps, not by the public methods. */
export interface GroupState {
  /** The group that functions of a program receive. */
  readonly group: Group
  readonly settings: GroupSettings
  readonly followers: Followers
  /** Frozen messages, oldest first; clearing replaces the array. */
  messages: ChatMessage[]
  /** True if the run that is under way, or the last one, began with introductions. */
  isIntroduced: boolean
  /** True while a run is under way. */
  running: boolean
  /** The model that chooses speakers, with its config; null before the first choice. */
  selector: SelectorModel | null
  /** Texts of the warnings that were already sent. */
  readonly warned: Set<string>
}

/** A model that chooses speakers. */
export interface SelectorModel {
  readonly config: LlmConfig
  readonly model: Model
  /** True if the model counts its own usage; otherwise the asking agent counts it. */
  readonly ownUsage: boolean
}

/** Returns the state of a group. */
export const groupStateOf = (group: Group): GroupState =>
  (group as { readonly '~state'?: unknown })['~state'] as GroupState

/** Creates the state of a group without a public `GroupChat`; anyone may follow anyone. */
export function createGroupState(options: GroupChatOptions): GroupState {
  const settings = readGroupOptions(options)
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
    isIntroduced: false,
    running: false,
    selector: null,
    warned: new Set(),
  }
  return state
}

/** Creates the role that the manager of a group plays in its chats. */
export const createManagerRole = (state: GroupState): ManagerRole => ({
  members: () => state.settings.agents,
  models: () => (state.selector?.ownUsage ? [state.selector.model] : []),
  clear() {
    state.messages = []
  },
  // The introductions are in the histories of members, but are no messages of the group.
  // A member is told what it heard itself: a policy may have masked that.
  summaryMessages: (agent, method) =>
    state.messages.length === 0 || (method === 'last_msg' && state.settings.agents.includes(agent as never))
      ? null
      : state.messages,
  // As recorded, a group without introductions that nobody answers is summed up by its question.
  isAnswered: () => !state.isIntroduced || state.messages.length > 1,
  save: () => state.messages,
  load(saved) {
    state.messages = (saved as ChatMessage[]).map((message) => Object.freeze({ ...message }))
  },
  closeCalls(answer) {
    const message = answer(state.messages.at(-1) ?? {})
    if (message) state.messages.push(toGroupMessage(message, message.name ?? ''))
  },
})

/** Returns the event of a warning the first time, and null when the group has sent it before. */
export function warningOnce(state: GroupState, agent: string | null, text: string): EventBody | null {
  if (state.warned.has(text)) return null
  state.warned.add(text)
  return { type: 'warning', agent, topic: 'group', text }
}

/** Sends an event to the `io` of the group, outside of any run. */
export function report({ settings: { io, agents } }: GroupState, event: EventBody): void {
  if (io.takes && !io.takes.has(event.type)) return
  const [first] = agents
  void io.send(eventOutside(event, first ? internalsOf(first).now() : 0))
}
