import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** One chat in a folder of chats. */
export interface ChatFolder {
  /** Last part of the chat's folder. */
  readonly name: string
  readonly folder: string
  /** When it last changed, in milliseconds since 1970. */
  readonly changed: number
}

/** Lists the chats in a folder of chats, the one that changed last first. */
export function listChats(parent: string): ChatFolder[] {
  if (!existsSync(parent)) return []
  const chats = readdirSync(parent).flatMap((name) => {
    const folder = join(parent, name)
    const stat = statSync(join(folder, 'chat.json'), { throwIfNoEntry: false })
    return stat ? [{ name, folder, changed: stat.mtimeMs }] : []
  })
  return chats.toSorted((a, b) => b.changed - a.changed || (a.name < b.name ? 1 : -1))
}
