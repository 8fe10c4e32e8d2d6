import type { ChatStore, HostedChat } from '@x/interfaces'
import type { ListOptions } from './host-options.ts'

/** Number of chats that are read at once. */
const CHATS_PER_PAGE = 100

type ChatQuery = Parameters<ChatStore['list']>[0]

/** Lists the chats that `list` of a host is asked for. */
export async function* listBy(store: ChatStore, options: ListOptions): AsyncGenerator<HostedChat> {
  const { state, chat, tenant, tag, order, after, limit = Infinity } = options
  const [since, until] = [timeOf(options.since), timeOf(options.until)]
  const isSubmitted = [tenant, tag, since, until, order].some((each) => each !== undefined)
  const submitted = isSubmitted ? { order: order ?? 'newest', tenant, tag, since, until } : undefined
  let left = limit
  for await (const each of listChats(store, { state, kind: chat, submitted }, after, limit)) {
    yield each
    if (--left <= 0) return
  }
}

const timeOf = (time: Date | number | undefined): number | undefined => (time === undefined ? time : Number(time))

/** Lists the chats of a store page by page, behind one of them. */
export async function* listChats(
  store: ChatStore,
  query: Omit<ChatQuery, 'after' | 'limit'>,
  first?: Pick<HostedChat, 'id' | 'submittedAt'>,
  limit: number = Infinity,
): AsyncGenerator<HostedChat> {
  const pageLength = Math.min(CHATS_PER_PAGE, limit)
  let last = first
  for (;;) {
    const submitted = query.submitted && { ...query.submitted, after: last?.submittedAt }
    const page = await store.list({ ...query, submitted, after: last?.id, limit: pageLength })
    yield* page
    last = page.at(-1)
    if (page.length < pageLength) return
  }
}
