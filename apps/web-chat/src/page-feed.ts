import type { ServerResponse } from 'node:http'
import type { Change, ChatPage, ChatState } from './change.ts'
import type { Item } from './item.ts'

/** What a page shows, as it is now. */
export interface Shown {
  items(): readonly Item[]
  /** At which step of its log the chat is. */
  step(): number
  /** The lines that may have changed since a step. */
  since(step: number): readonly number[]
  state(): ChatState
  chats(): ChatPage
}

/** Limits of what waits for a page. */
export interface FeedLimits {
  /** Bytes that may wait for a page before it is told no more. */
  readonly backlog: number
  /** Seconds in which a page that is behind must take what waits. */
  readonly patience: number
}

/** Most characters of a text in one frame. */
const PIECE = 16_384

/**
 * Tells one page what it shows. Of a page that does not read is kept only which lines it lacks, and from which character
 * on: what it is told later is as it is then, piece by piece. One that takes nothing for too long is dropped. Whenever a
 * page lacks no line, what it is told bears the step of the chat as its id: a page that comes back with it, to this server
 * or another, is told what has changed since.
 */
export class PageFeed {
  readonly #response: ServerResponse
  readonly #shown: Shown
  readonly #limits: FeedLimits
  /**
   * What the page lacks, in the order in which it is told: of a line how many characters of its text the page has, or null
   * when it lacks the whole line.
   */
  readonly #lacks = new Map<'begin' | 'state' | 'chats' | number, number | null>()
  /** Drops the page when it stays behind. */
  #behind: NodeJS.Timeout | null = null

  /** `shown` is what the page shows, whenever it is asked; `after` the step up to which the page knows it. */
  constructor(
    response: ServerResponse,
    shown: Shown,
    { after = 0, ...limits }: FeedLimits & { readonly after?: number },
  ) {
    this.#response = response
    this.#shown = shown
    this.#limits = limits
    for (const key of ['begin', 'state', ...shown.since(after > shown.step() ? 0 : after), 'chats'] as const)
      this.#lacks.set(key, null)
    response.on('close', () => clearTimeout(this.#behind ?? undefined))
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    this.#write('retry: 1000\n\n')
    this.#flush()
  }

  /** Bytes that wait for the page in this process. */
  get waiting(): number {
    return this.#response.writableLength
  }

  /** Tells of a change, now or when the page has taken what waits. */
  tell(change: Change): void {
    if (change.type === 'text' && this.#lacks.size === 0 && this.#takes && change.text.length <= PIECE) {
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

  /** Gives a sign of life, unless more waits anyway. */
  beat(): void {
    if (!this.#behind) this.#write(':\n\n')
  }

  /** Ends the stream. */
  end(): void {
    this.#response.end()
  }

  #flush(): void {
    while (this.#takes) {
      const change = this.#nextChange()
      if (!change) return
      this.#send(change)
    }
    if (this.#lacks.size === 0) return
    this.#behind ??= setTimeout(() => this.#response.destroy(), this.#limits.patience * 1000).unref()
  }

  /** Whether the page may be told more. */
  get #takes(): boolean {
    return this.#response.writableLength < this.#limits.backlog
  }

  #send(change: Change): void {
    const isWhole = [...this.#lacks.keys()].every((key) => typeof key !== 'number')
    this.#write(`${isWhole ? `id: ${this.#shown.step()}\n` : ''}data: ${JSON.stringify(change)}\n\n`)
  }

  #write(text: string): void {
    this.#response.write(text, () => {
      if (!this.#behind) return
      clearTimeout(this.#behind)
      this.#behind = null
      this.#flush()
    })
  }

  /** The change that the page is told next; null when it lacks nothing. */
  #nextChange(): Change | null {
    const [first] = this.#lacks
    if (!first) return null
    const [key, had] = first
    if (typeof key === 'number') return this.#nextPiece(this.#shown.items()[key]!, [key, had])
    this.#lacks.delete(key)
    if (key === 'state') return { type: key, state: this.#shown.state() }
    return key === 'chats' ? { type: key, ...this.#shown.chats() } : { type: key, items: this.#shown.items().length }
  }

  /** The next piece of a line that the page lacks; what is left of it comes next. */
  #nextPiece(item: Item, [index, had]: [number, number | null]): Change {
    const text = textOf(item)
    const from = had ?? 0
    const piece = text.slice(from, from + PIECE)
    if (from + piece.length < text.length) this.#lacks.set(index, from + piece.length)
    else this.#lacks.delete(index)
    if (had !== null) return { type: 'text', index, text: piece }
    return {
      type: 'item',
      index,
      item: item.kind === 'user' || item.kind === 'assistant' ? { ...item, text: piece } : item,
    }
  }
}

/** The text of a line that may come in pieces. */
const textOf = (item: Item | undefined): string =>
  item?.kind === 'user' || item?.kind === 'assistant' ? item.text : ''
