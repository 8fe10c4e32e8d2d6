import type { CacheStore, Run } from '@x/interfaces'
import { scopeOf } from '../resume/scope.ts'
import type { Conversation, State } from '../state/state.ts'

/** A chat under way, as the conversations of its two sides know it. */
export interface ChatUnderWay {
  /** Its cache; null: each model's own. */
  cache: CacheStore | null
}

/** Lets a chat begin in a conversation. */
export function beginIn(conversation: Conversation, chat: ChatUnderWay): void {
  conversation.chats = [...(conversation.chats ?? []), chat]
}

/** Lets a chat end in a conversation, whatever others of the same two agents have begun or ended meanwhile. */
export function endIn(conversation: Conversation, chat: ChatUnderWay): void {
  const others = conversation.chats?.filter((each) => each !== chat) ?? []
  conversation.chats = others.length > 0 ? others : null
  // What the models saw can be made again; an idle chat is not to keep it.
  conversation.seen = null
}

/**
 * The cache for a question in a conversation: that of the chat it is asked in, even when it has none, and outside of chats
 * the agent's own (spec, rule 11). A question that does not say in which run it is asked belongs to the newest chat.
 */
export function cacheFor(run: Run, state: State, { chats }: Conversation): CacheStore | null {
  if (!chats) return state.clientCache
  const around = scopeOf(run)?.chat
  return (around && chats.includes(around) ? around : chats.at(-1)!).cache
}
