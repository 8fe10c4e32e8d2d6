import type { ChatStore, HostedChat } from '@x/interfaces'
import type { ChatHost, TurnInput } from './chat-host.ts'
import { behindTurns, chatOf } from './chat-ids.ts'

/** Number of turns that are read at once. */
const TURNS_PER_PAGE = 100

/** Reads the turns of at most `max` chats, the newest chats first: from the start, or after a chat. */
export async function readChats(
  store: ChatStore,
  behind: string | null,
  max: number,
): Promise<{ readonly turns: readonly HostedChat[]; readonly older: string | null }> {
  const turns: HostedChat[] = []
  const chats = new Set<string>()
  for (let after = behind === null ? undefined : behindTurns(behind); ; after = turns.at(-1)!.id) {
    const page = await store.list({ after, limit: TURNS_PER_PAGE })
    for (const turn of page) {
      const chat = chatOf(turn.id)
      if (chats.size === max && !chats.has(chat)) return { turns, older: [...chats].at(-1)! }
      chats.add(chat)
      turns.push(turn)
    }
    if (page.length < TURNS_PER_PAGE) return { turns, older: null }
  }
}

/** Deletes the chats whose turns have all ended before a time, in milliseconds since 1970; returns their number. */
export async function forgetChats(chatHost: ChatHost, before: number): Promise<number> {
  let forgotten = 0
  for (let after: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof readChats>> = await readChats(chatHost.at.store, after, TURNS_PER_PAGE)
    for (const turns of Map.groupBy(page.turns, ({ id }) => chatOf(id)).values()) {
      if (!turns.every(({ endedAt }) => endedAt !== null && endedAt < before)) continue
      // The last turn first, so that a chat that is deleted in part has no gap.
      for (const turn of turns.toReversed()) await deleteTurn(chatHost, turn)
      forgotten++
    }
    if (page.older === null) return forgotten
    after = page.older
  }
}

/** Deletes a turn that has ended, with its files. */
export async function deleteTurn({ host, files }: ChatHost, { id, input }: HostedChat): Promise<void> {
  await files.delete(chatOf(id), (input as TurnInput).files)
  await host.delete(id)
}
