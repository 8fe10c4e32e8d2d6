import type { ChatStore, HostedChat } from '@x/interfaces'
import { behindTurns, chatOf } from './chat-ids.ts'

/** Turns that are read at once. */
const PAGE = 100

/** Reads the turns of some chats, those that were begun last first: the first ones, or those behind a chat. */
export async function readChats(
  store: ChatStore,
  behind: string | null,
  most: number,
): Promise<{ readonly turns: readonly HostedChat[]; readonly older: string | null }> {
  const turns: HostedChat[] = []
  const chats = new Set<string>()
  for (let after = behind === null ? undefined : behindTurns(behind); ; after = turns.at(-1)!.id) {
    const page = await store.list({ after, limit: PAGE })
    for (const turn of page) {
      const chat = chatOf(turn.id)
      if (chats.size === most && !chats.has(chat)) return { turns, older: [...chats].at(-1)! }
      chats.add(chat)
      turns.push(turn)
    }
    if (page.length < PAGE) return { turns, older: null }
  }
}
