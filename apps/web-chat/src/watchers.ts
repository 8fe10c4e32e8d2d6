import type { ServerResponse } from 'node:http'
import type { Change } from './change.ts'
import { PageFeed, type FeedLimits, type Shown } from './page-feed.ts'

/** Limits of those who watch. */
export interface WatcherLimits extends Partial<FeedLimits> {
  /** Pages at once; default 32. */
  readonly most?: number | undefined
  /** Seconds between two signs of life; default 15. */
  readonly heartbeat?: number | undefined
}

/** What a page watches. */
export interface Watched {
  readonly chat: string
  readonly shown: Shown
  readonly after: number
}

/** The pages that watch, by server-sent events, each at one chat. */
export class Watchers {
  readonly #feeds = new Map<PageFeed, string>()
  readonly #limits: FeedLimits & { readonly most: number }
  readonly #heart: NodeJS.Timeout

  /** Default: 64 KiB that wait for a page, and 30 seconds in which it must take them. */
  constructor({ most = 32, backlog = 65_536, patience = 30, heartbeat = 15 }: WatcherLimits = {}) {
    this.#limits = { most, backlog, patience }
    // A connection that is gone without a word is found by writing to it.
    this.#heart = setInterval(() => {
      for (const feed of this.#feeds.keys()) feed.beat()
    }, heartbeat * 1000).unref()
  }

  /** Pages that watch. */
  get count(): number {
    return this.#feeds.size
  }

  /** Bytes that wait for pages in this process, together. */
  get waiting(): number {
    return [...this.#feeds.keys()].reduce((sum, { waiting }) => sum + waiting, 0)
  }

  /** Whether one more page may watch. */
  get hasRoom(): boolean {
    return this.#feeds.size < this.#limits.most
  }

  /** Begins to tell a page what happens in a chat, until it leaves; `after` is the step up to which the page knows it. */
  add(response: ServerResponse, { chat, shown, after }: Watched): void {
    const feed = new PageFeed(response, shown, { ...this.#limits, after })
    response.on('close', () => this.#feeds.delete(feed))
    this.#feeds.set(feed, chat)
  }

  /** Tells the pages of a chat of a change, or with null all pages. */
  tell(chat: string | null, change: Change): void {
    for (const [feed, watched] of this.#feeds) if (chat === null || watched === chat) feed.tell(change)
  }

  /** Lets all pages go. */
  close(): void {
    clearInterval(this.#heart)
    for (const feed of this.#feeds.keys()) feed.end()
  }
}
