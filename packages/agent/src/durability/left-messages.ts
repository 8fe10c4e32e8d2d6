import type { ChatMessage } from '@x/interfaces'
import type { Conversation } from '../memory/state.ts'
import { type ConversationEnd, type Participants, withOuter } from '../run/recorder.ts'

/** Messages of a conversation that an earlier chat of the run has left there: they are in the journal as parts of that chat. */
export interface LeftMessages {
  /** Place of the chat. */
  readonly place: string
  /** Index of the first of them among all that the chat has left. */
  readonly from: number
  readonly count: number
}

/** Notes what a chat leaves in a conversation, for the beginnings of later chats. */
export function noteEnd(participants: Participants, conversation: Conversation, place: string): void {
  for (const level of withOuter(participants)) {
    level.ends ??= new Map()
    level.ends.set(conversation, { place, messages: conversation.messages })
    // What is inside a call that has answered is not run again.
    if (!level.isOperation) return
  }
}

/**
 * Splits the messages of a conversation: what an earlier chat of the run has left, and what came later. A program may
 * have cut the conversation at its beginning since.
 */
export function splitMessages(
  participants: Participants,
  conversation: Conversation,
): { readonly after?: LeftMessages; readonly messages: ChatMessage[] } {
  const { messages } = conversation
  const [end] = endsOf(participants, conversation)
  const from = end && messages.length > 0 ? end.messages.indexOf(messages[0]!) : -1
  if (!end || from < 0) return { messages: [...messages] }
  let count = 1
  while (count < messages.length && messages[count] === end.messages[from + count]) count++
  return { after: { place: end.place, from, count }, messages: messages.slice(count) }
}

/** Returns messages that an earlier chat of the run has left; undefined if the program has not come to them in this process. */
export function leftMessages(
  participants: Participants,
  conversation: Conversation,
  { place, from, count }: LeftMessages,
): readonly ChatMessage[] | undefined {
  const end = endsOf(participants, conversation).find((each) => each.place === place)
  if (!end || end.messages.length < from + count) return undefined
  return count === end.messages.length ? end.messages : end.messages.slice(from, from + count)
}

/** Returns what chats have left in a conversation, innermost first: a chat inside a call goes on from those outside. */
const endsOf = (participants: Participants, conversation: Conversation): readonly ConversationEnd[] =>
  [...withOuter(participants)].flatMap(({ ends }) => ends?.get(conversation) ?? [])
