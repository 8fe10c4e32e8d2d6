import type { ChatMessage } from '@x/interfaces'

/** Messages of a list that is worth remembering: a shorter one is looked through in no time. */
const FEWEST = 32

/**
 * The messages of the last request of a wrapper, where they are many: the next request of a chat begins with the same, and
 * only what follows has to be looked at. Comparing places of two lists costs a fraction of looking into each message.
 */
export interface SeenMessages {
  seenMessages: readonly ChatMessage[] | null
}

/** Counts how many messages, from the first one on, are those of the last request. */
export function countSeen({ seenMessages: last }: SeenMessages, messages: readonly ChatMessage[]): number {
  if (!last) return 0
  const most = Math.min(last.length, messages.length)
  let count = 0
  while (count < most && last[count] === messages[count]) count++
  return count
}

/** Remembers a list that was looked through. */
export function noteSeen(memory: SeenMessages, messages: readonly ChatMessage[]): void {
  memory.seenMessages = messages.length < FEWEST ? null : messages
}
