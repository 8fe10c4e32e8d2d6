import type { ChatStore, HostedChat } from '@x/interfaces'

/** Number of chats that are read at once. */
const CHATS_PER_PAGE = 100

/** Lists the chats of a store in the order of their identifiers, page by page. */
export async function* listChats(
  store: ChatStore,
  query: Omit<Parameters<ChatStore['list']>[0], 'after' | 'limit'>,
): AsyncGenerator<HostedChat> {
  let after: string | undefined
  for (;;) {
    const page = await store.list({ ...query, after, limit: CHATS_PER_PAGE })
    yield* page
    after = page.at(-1)?.id
    if (page.length < CHATS_PER_PAGE) return
  }
}
