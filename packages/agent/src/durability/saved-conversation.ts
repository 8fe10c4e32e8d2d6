import type { ChatMessage, HistoryView } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { plainJson } from '../schema/plain-json.ts'
import type { Conversation } from '../memory/state.ts'
import type { SavedConversation } from '../options/operations.ts'
import { storedMessage } from '../memory/stored-message.ts'

/** One conversation, as plain JSON. */
export function savedConversation(conversation: Conversation, view?: HistoryView): SavedConversation {
  const { counterpart, ...its } = conversation
  const { messages, autoReplies, maxAutoReplies, replyAtReceive, begun, humanInput, ended } = its
  const name = counterpart?.name ?? null
  const history = its.savedHistory ?? view?.save(conversation)
  const what = `the conversation with \`${name ?? 'nobody'}\``
  return {
    with: name,
    messages: plainJson(messages, what) as ChatMessage[],
    autoReplies,
    maxAutoReplies,
    replyAtReceive,
    begun,
    humanInput: [...humanInput],
    ended,
    ...(history !== undefined && { history: plainJson(history, what) }),
  }
}

/** The messages of a saved conversation, as a history keeps them. */
export function storedMessages(
  { messages }: SavedConversation,
  refuse?: (index: number, message: string) => never,
): ChatMessage[] {
  return messages.map((each, index) => {
    try {
      return storedMessage(each, each.role!, each.name ?? '')
    } catch (error) {
      if (refuse && isXError(error)) return refuse(index, error.message)
      throw error
    }
  })
}

/** Puts a saved conversation in place of one; its limit is that of the program that goes on. */
export function loadConversation(conversation: Conversation, saved: SavedConversation): void {
  const { autoReplies, replyAtReceive, begun, humanInput, ended } = saved
  const messages = storedMessages(saved)
  Object.assign(conversation, {
    autoReplies,
    replyAtReceive,
    begun,
    humanInput: Object.freeze([...humanInput]),
    ended,
    messages,
  })
  if (saved.history !== undefined) conversation.savedHistory = saved.history
}
