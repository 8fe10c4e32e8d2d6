import type { ServerResponse } from 'node:http'
import type { Change } from './change.ts'
import { PageFeed, type FeedLimits, type PageContent } from './page-feed.ts'

/** Limits on watching pages. */
export interface WatcherLimits extends Partial<FeedLimits> {
  /** Most pages at once; default 32. */
  readonly maxPages?: number | undefined
  /** Seconds between two signs of life; default 15. */
  readonly heartbeat?: number | undefined
}

/** The chat that a page watches. */
export interface WatchedChat {
  readonly chat: string
  readonly shown: PageContent
  readonly after: number
}

/** The pages that watch a chat by server-sent events. */
export class Watchers {
  readonly #feeds = new Map<PageFeed, string>()
  readonly #limits: FeedLimits & { readonly maxPages: number }
  readonly #heartbeatTimer: NodeJS.Timeout

  /** Default limits: 64 KiB of unread data of a page, and 30 seconds within which the page must read it. */
  constructor({ maxPages = 32, backlog = 65_536, stallTimeout = 30, heartbeat = 15 }: WatcherLimits = {}) {
    this.#limits = { maxPages, backlog, stallTimeout }
    // Writing to a connection detects one that was lost without being closed.
    this.#heartbeatTimer = setInterval(() => {
      for (const feed of this.#feeds.keys()) feed.beat()
    }, heartbeat * 1000).unref()
  }

  /** Number of watching pages. */
  get count(): number {
    return this.#feeds.size
  }

  /** Unread bytes of all pages in this process. */
  get waiting(): number {
    return [...this.#feeds.keys()].reduce((sum, { waiting }) => sum + waiting, 0)
  }

  /** True if one more page may watch. */
  get hasRoom(): boolean {
    return this.#feeds.size < this.#limits.maxPages
  }

  /** Sends the changes of a chat to a page until it disconnects; `after` is the step up to which the page knows the chat. */
  add(response: ServerResponse, { chat, shown, after }: WatchedChat): void {
    const feed = new PageFeed(response, shown, { ...this.#limits, after })
    response.on('close', () => this.#feeds.delete(feed))
    this.#feeds.set(feed, chat)
  }

  /** Sends a change to the pages of a chat, or with null to all pages. */
  tell(chat: string | null, change: Change): void {
    for (const [feed, watched] of this.#feeds) if (chat === null || watched === chat) feed.tell(change)
  }

  /** Disconnects all pages. */
  close(): void {
    clearInterval(this.#heartbeatTimer)
    for (const feed of this.#feeds.keys()) feed.end()
  }
}
