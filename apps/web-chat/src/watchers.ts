import type { ServerResponse } from 'node:http'
import type { Change } from './item.ts'

/** Limits of those who watch. */
export interface WatcherLimits {
  /** Pages at once; default 32. */
  readonly most?: number | undefined
  /** Bytes that may wait for a page before it is told no more; default 64 KiB. */
  readonly backlog?: number | undefined
  /** Seconds in which a page that is behind must take what waits; default 30. */
  readonly patience?: number | undefined
  /** Seconds between two signs of life; default 15. */
  readonly heartbeat?: number | undefined
}

interface Watcher {
  readonly response: ServerResponse
  /** Drops it when it stays behind. */
  behind: NodeJS.Timeout | null
}

/**
 * The pages that watch, by server-sent events. Nothing is kept for a page that does not read: it is told no more until it
 * has taken what waits, then everything as it is by then; one that takes nothing for too long is dropped.
 */
export class Watchers {
  readonly #watchers = new Set<Watcher>()
  readonly #all: () => Change
  readonly #limits: Required<{ [K in keyof WatcherLimits]: number }>
  readonly #heart: NodeJS.Timeout

  /** `all` is what a page is told first, and when it has been behind. */
  constructor(all: () => Change, { most = 32, backlog = 65_536, patience = 30, heartbeat = 15 }: WatcherLimits = {}) {
    this.#all = all
    this.#limits = { most, backlog, patience, heartbeat }
    // A connection that is gone without a word is found by writing to it.
    this.#heart = setInterval(() => this.#send(':\n\n'), heartbeat * 1000).unref()
  }

  /** Pages that watch. */
  get count(): number {
    return this.#watchers.size
  }

  /** Bytes that wait for pages in this process, together. */
  get waiting(): number {
    return [...this.#watchers].reduce((sum, { response }) => sum + response.writableLength, 0)
  }

  /** Whether one more page may watch. */
  get hasRoom(): boolean {
    return this.#watchers.size < this.#limits.most
  }

  /** Begins to tell a page what happens, until it leaves. */
  add(response: ServerResponse): void {
    const watcher: Watcher = { response, behind: null }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    response.on('close', () => {
      clearTimeout(watcher.behind ?? undefined)
      this.#watchers.delete(watcher)
    })
    response.on('drain', () => this.#caughtUp(watcher))
    this.#watchers.add(watcher)
    response.write(`retry: 1000\n\n${frame(this.#all())}`)
  }

  /** Tells all pages of a change. */
  tell(change: Change): void {
    this.#send(frame(change))
  }

  /** Lets all pages go. */
  close(): void {
    clearInterval(this.#heart)
    for (const { response } of this.#watchers) response.end()
  }

  #send(text: string): void {
    for (const watcher of this.#watchers) {
      if (watcher.behind) continue
      const { response } = watcher
      if (response.writableLength < this.#limits.backlog) response.write(text)
      else watcher.behind = setTimeout(() => response.destroy(), this.#limits.patience * 1000).unref()
    }
  }

  #caughtUp(watcher: Watcher): void {
    if (!watcher.behind) return
    clearTimeout(watcher.behind)
    watcher.behind = null
    watcher.response.write(frame(this.#all()))
  }
}

const frame = (change: Change): string => `data: ${JSON.stringify(change)}\n\n`
