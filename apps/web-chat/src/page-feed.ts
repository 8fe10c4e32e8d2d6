import type { ServerResponse } from 'node:http'
import type { Change, ChatPage, ChatState } from './change.ts'
import type { Item } from './item.ts'

/** The present content of a page. */
export interface PageContent {
  items(): readonly Item[]
  /** Number of steps of the log that the chat has read. */
  step(): number
  /** Returns the lines that may have changed since a step. */
  since(step: number): readonly number[]
  state(): ChatState
  chats(): ChatPage
}

/** Limits on unread data of a page. */
export interface FeedLimits {
  /** Unread bytes from which a page is sent no more. */
  readonly backlog: number
  /** Seconds within which a page must read the unread bytes. */
  readonly stallTimeout: number
}

/** Most characters of a text in one frame. */
const MAX_FRAME_CHARACTERS = 16_384

/**
 * Sends changes to one page. For a page that does not read, only the lines that it lacks are noted, with the first missing
 * character; they are sent later in their state of then, in chunks. A page that reads nothing for too long is dropped. When a
 * page lacks no line, an event has the step of the chat as its id: a page that reconnects with it, to this server or another,
 * gets what has changed since.
 */
export class PageFeed {
  readonly #response: ServerResponse
  readonly #shown: PageContent
  readonly #limits: FeedLimits
  /**
   * The parts that the page lacks, in the order in which they are sent. For a line: the number of characters that the page
   * has, or null when it lacks the whole line.
   */
  readonly #lacks = new Map<'begin' | 'state' | 'chats' | number, number | null>()
  /** Drops the page when it reads nothing for too long. */
  #stallTimer: NodeJS.Timeout | null = null

  /** `shown` returns the present content; `after` is the step up to which the page knows it. */
  constructor(
    response: ServerResponse,
    shown: PageContent,
    { after = 0, ...limits }: FeedLimits & { readonly after?: number },
  ) {
    this.#response = response
    this.#shown = shown
    this.#limits = limits
    for (const key of ['begin', 'state', ...shown.since(after > shown.step() ? 0 : after), 'chats'] as const)
      this.#lacks.set(key, null)
    response.on('close', () => clearTimeout(this.#stallTimer ?? undefined))
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    this.#write('retry: 1000\n\n')
    this.#flush()
  }

  /** Unread bytes in this process. */
  get waiting(): number {
    return this.#response.writableLength
  }

  /** Sends a change, now or when the page has read enough. */
  tell(change: Change): void {
    if (
      change.type === 'text' &&
      this.#lacks.size === 0 &&
      this.#isReady &&
      change.text.length <= MAX_FRAME_CHARACTERS
    ) {
      this.#send(change)
      return
    }
    if (change.type === 'item') this.#lacks.set(change.index, null)
    else if (change.type !== 'text') this.#lacks.set(change.type, null)
    else if (!this.#lacks.has(change.index)) {
      this.#lacks.set(change.index, textOf(this.#shown.items()[change.index]).length - change.text.length)
    }
    this.#flush()
  }

  /** Sends a sign of life, unless other data waits. */
  beat(): void {
    if (!this.#stallTimer) this.#write(':\n\n')
  }

  /** Ends the stream. */
  end(): void {
    this.#response.end()
  }

  #flush(): void {
    while (this.#isReady) {
      const change = this.#nextChange()
      if (!change) return
      this.#send(change)
    }
    if (this.#lacks.size === 0) return
    this.#stallTimer ??= setTimeout(() => this.#response.destroy(), this.#limits.stallTimeout * 1000).unref()
  }

  /** True if the page may be sent more. */
  get #isReady(): boolean {
    return this.#response.writableLength < this.#limits.backlog
  }

  #send(change: Change): void {
    const isWhole = [...this.#lacks.keys()].every((key) => typeof key !== 'number')
    this.#write(`${isWhole ? `id: ${this.#shown.step()}\n` : ''}data: ${JSON.stringify(change)}\n\n`)
  }

  #write(text: string): void {
    this.#response.write(text, () => {
      if (!this.#stallTimer) return
      clearTimeout(this.#stallTimer)
      this.#stallTimer = null
      this.#flush()
    })
  }

  /** Returns the next change to send; null when the page lacks nothing. */
  #nextChange(): Change | null {
    const [first] = this.#lacks
    if (!first) return null
    const [key, known] = first
    if (typeof key === 'number') return this.#nextChunk(this.#shown.items()[key]!, [key, known])
    this.#lacks.delete(key)
    if (key === 'state') return { type: key, state: this.#shown.state() }
    return key === 'chats' ? { type: key, ...this.#shown.chats() } : { type: key, items: this.#shown.items().length }
  }

  /** Returns the next chunk of a line that the page lacks. */
  #nextChunk(item: Item, [index, known]: [number, number | null]): Change {
    const text = textOf(item)
    const from = known ?? 0
    const chunk = text.slice(from, from + MAX_FRAME_CHARACTERS)
    if (from + chunk.length < text.length) this.#lacks.set(index, from + chunk.length)
    else this.#lacks.delete(index)
    if (known !== null) return { type: 'text', index, text: chunk }
    return {
      type: 'item',
      index,
      item: item.kind === 'user' || item.kind === 'assistant' ? { ...item, text: chunk } : item,
    }
  }
}

/** Returns the text of a line that may be sent in chunks. */
const textOf = (item: Item | undefined): string =>
  item?.kind === 'user' || item?.kind === 'assistant' ? item.text : ''
