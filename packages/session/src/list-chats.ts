import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SavedChat } from './session-store.ts'

/** A chat in a folder of chats. */
export interface ListedChat {
  /** Last part of the path of the chat's folder. */
  readonly name: string
  readonly folder: string
  /** When the chat last changed, in milliseconds since 1970. */
  readonly changed: number
  /** The first message of the person; null when the file of the chat is damaged or of another version. */
  readonly title: string | null
}

/** Lists the chats in a folder of chats, the most recently changed first. Folders that are not chats are left out. */
export function listChats(parent: string): ListedChat[] {
  if (!existsSync(parent)) return []
  const chats = readdirSync(parent).flatMap((name): ListedChat[] => {
    const folder = join(parent, name)
    const file = join(folder, 'chat.json')
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat ? [{ name, folder, changed: stat.mtimeMs, title: titleOf(file) }] : []
  })
  return chats.toSorted((a, b) => b.changed - a.changed || (a.name < b.name ? 1 : -1))
}

function titleOf(file: string): string | null {
  try {
    const { agents, message } = JSON.parse(readFileSync(file, 'utf8')) as Partial<SavedChat>
    const { conversations = [], name } = agents?.user ?? {}
    const messages = conversations.flatMap((conversation) => conversation.messages)
    const title = messages.find((each) => each.name === name)?.content ?? message
    return typeof title === 'string' ? title : null
  } catch {
    return null
  }
}
