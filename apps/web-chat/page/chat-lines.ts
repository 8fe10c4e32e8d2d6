import type { Change, ChatPage, ChatState } from '../src/change.ts'
import type { Item } from '../src/item.ts'

/** What the page shows of a chat, as the server has told it. */
export interface ShownChat {
  readonly items: readonly Item[]
  /** Null until the server has told it. */
  readonly state: ChatState | null
}

/** A chat of which nothing is known. */
export const UNKNOWN_CHAT: ShownChat = { items: [], state: null }

/** Returns a chat after changes. A line that stays as it is stays the same object, so that what a person types into it is kept. */
export function withChanges({ items: before, state }: ShownChat, changes: readonly Change[]): ShownChat {
  const items = [...before]
  for (const change of changes) {
    switch (change.type) {
      case 'begin':
        items.length = Math.min(items.length, change.items)
        break
      case 'item':
        if (JSON.stringify(items[change.index]) !== JSON.stringify(change.item)) items[change.index] = change.item
        break
      case 'text': {
        const item = items[change.index]
        if (item && 'text' in item) items[change.index] = { ...item, text: item.text + change.text }
        break
      }
      case 'state':
        state = change.state
        break
      case 'chats':
    }
  }
  return { items, state }
}

/** Returns the last list of chats among changes. */
export const listIn = (changes: readonly Change[]): ChatPage | undefined =>
  changes.findLast((change) => change.type === 'chats')

/** True while an answer is being written. */
export function isLive(items: readonly Item[]): boolean {
  const last = items.at(-1)
  return last?.kind === 'assistant' && last.live === true
}
