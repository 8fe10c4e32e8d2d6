import type { CacheStore } from '@x/interfaces'
import { snapshotOf } from './history.ts'
import {
  conversationOf,
  newConversation,
  type ActiveChat,
  type Conversation,
  type OwnConversations,
  type State,
} from './state.ts'

/** Conversations of two agents for one chat, which begin empty; each side has the limits that it has with the other. */
export function ownConversations(self: State, other: State, outer: OwnConversations | null): OwnConversations {
  const side = (state: State, { agent }: State): readonly [State, Conversation] => {
    const fresh = newConversation(state)
    const { maxAutoReplies } = conversationOf(state, agent) ?? fresh
    return [state, { ...fresh, counterpart: agent, maxAutoReplies }]
  }
  return { sides: [side(self, other), side(other, self)], outer }
}

/** Notes in a conversation that a chat begins. */
export function addChat(conversation: Conversation, chat: ActiveChat): void {
  conversation.chats = [...(conversation.chats ?? []), chat]
}

/** Notes in a conversation that a chat has ended, whatever others of the same two agents have begun or ended meanwhile. */
export function removeChat(conversation: Conversation, chat: ActiveChat): void {
  const others = conversation.chats?.filter((each) => each !== chat) ?? []
  conversation.chats = others.length > 0 ? others : null
  // What the models saw can be made again, and a list that grew has room for more: an idle chat is not to keep either.
  conversation.seen = null
  if (!conversation.chats) conversation.messages = snapshotOf(conversation)
}

/**
 * The cache for a question in a conversation: that of the chat it is asked in (`around`), even when it has none, and
 * outside of chats the agent's own. A question that does not say in which run it is asked belongs to the newest chat.
 */
export function cacheFor(around: ActiveChat | null, state: State, { chats }: Conversation): CacheStore | null {
  if (!chats) return state.clientCache ?? null
  return (around && chats.includes(around) ? around : chats.at(-1)!).cache
}
