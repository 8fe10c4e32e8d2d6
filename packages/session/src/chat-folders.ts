import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A chat among others. */
export interface ChatFolder {
  /** Its name: the last part of its folder. */
  readonly name: string
  readonly folder: string
  /** When it last changed, in milliseconds since 1970. */
  readonly changed: number
}

/** The chats in a folder of chats, the one that changed last first. */
export function chatFolders(folder: string): ChatFolder[] {
  if (!existsSync(folder)) return []
  const found = readdirSync(folder).flatMap((name) => {
    const its = join(folder, name)
    const stat = statSync(join(its, 'chat.json'), { throwIfNoEntry: false })
    return stat ? [{ name, folder: its, changed: stat.mtimeMs }] : []
  })
  return found.toSorted((a, b) => b.changed - a.changed || (a.name < b.name ? 1 : -1))
}
