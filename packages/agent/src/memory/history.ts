import type { Agent, ChatMessage, EventBody } from '@x/interfaces'
import { XError } from '@x/kernel'
import { NONE, openConversation, type Conversation, type State } from './state.ts'

/** Adds a message. A list that is frozen belongs to the result of a chat too: the conversation goes on with a copy. */
export function appendMessage(conversation: Conversation, message: ChatMessage): void {
  if (Object.isFrozen(conversation.messages)) conversation.messages = [...conversation.messages]
  conversation.messages.push(message)
}

/** The messages as a frozen list; once the chats have ended, the list that the conversation keeps. */
export const snapshotOf = ({ messages }: Conversation): ChatMessage[] =>
  Object.isFrozen(messages) ? messages : (Object.freeze([...messages]) as ChatMessage[])

/** The last message with an agent, or of the only conversation; null when there is none. */
export function lastMessage(state: State, agent: Agent | undefined): ChatMessage | null {
  if (agent && state.unbound?.has(agent.name)) openConversation(state, agent)
  const begun = [...state.conversations.values()].filter((conversation) => conversation.begun)
  if (agent) {
    const conversation = begun.find(({ counterpart }) => counterpart === agent)
    if (conversation) return conversation.messages.at(-1) ?? null
    throw new XError('unknown-conversation', `\`${state.agent.name}\` has no conversation with \`${agent.name}\``)
  }
  if (begun.length > 1) {
    const names = begun.map(({ counterpart }) => counterpart?.name ?? 'nobody').join(', ')
    throw new XError(
      'ambiguous-conversation',
      `\`${state.agent.name}\` has conversations with ${names}: say whose last message is meant`,
    )
  }
  return begun[0]?.messages.at(-1) ?? null
}

/** Forgets messages; gives the event that tells of it, if there is one. */
export function clearHistory(state: State, recipient: Agent | null, preserved: number): EventBody | undefined {
  const agent = state.agent.name
  if (recipient) {
    const conversation = openConversation(state, recipient)
    conversation.messages = []
    conversation.humanInput = NONE
    conversation.begun = true
    return preserved ? { type: 'clearConversableAgentHistoryWarning', agent, recipient: agent } : undefined
  }
  if (!preserved) {
    for (const conversation of state.conversations.values()) {
      conversation.messages = []
      conversation.humanInput = NONE
      conversation.begun = false
    }
    delete state.unbound
    return undefined
  }
  let further = 0
  for (const conversation of state.conversations.values()) {
    const { messages } = conversation
    const first = messages.at(-preserved)
    // Tool results are kept with the calls they answer.
    const more = first && 'tool_responses' in first ? 1 : 0
    further += more
    conversation.messages = messages.slice(-(preserved + more))
  }
  return { type: 'clearConversableAgentHistory', agent, noMessagesPreserved: further }
}

/** Lets go of the counterparts of which nothing is left to know, so that an agent that serves many does not keep them. */
export function forgetCounterparts({ conversations, maxConsecutiveAutoReply }: State): void {
  for (const { counterpart, chats, maxAutoReplies } of [...conversations.values()]) {
    if (!chats && maxAutoReplies === maxConsecutiveAutoReply) conversations.delete(counterpart)
  }
}
