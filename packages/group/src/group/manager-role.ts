import type { ManagerRole } from '@x/agent/steps'
import type { ChatMessage } from '@x/interfaces'
import { groupMessage } from './group-message.ts'
import type { GroupState } from './group-state.ts'

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
