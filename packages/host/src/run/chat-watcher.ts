import type { HostBackend, LoggedEvent } from '@x/interfaces'
import { abortable, throwIfAborted } from '@x/kernel/abort'
import { checkWhole, unknownChat } from '../chat-errors.ts'
import type { EventsOptions } from '../host-options.ts'
import { platformTicks } from '../platform.ts'

/** Interval at which the revisions of chats are compared, in case that a change was not reported. */
const CHECK_INTERVAL_MS = 1000
/** Most chats in one call of the event log. */
const CHATS_PER_CALL = 1000
/** Number of events that are read at once. */
const EVENTS_PER_PAGE = 100
/** Time for which a reader counts as a follower of its chat. */
const FOLLOW_S = 15
/** Age from which that is renewed while the reader waits. */
const FOLLOW_RENEWAL_MS = 5000
/** Age from which a reader that comes back to wait renews it itself. */
const MAX_FOLLOW_AGE_MS = 10_000

/** A chat for whose changes somebody waits. */
interface WatchedChat {
  /** Each wakes one who waits. */
  readonly wakes: Set<() => void>
  /** Number of those who read its events. */
  readers: number
  /** Its revision when it was last compared; undefined before the first time. */
  revision: string | null | undefined
}

/**
 * Waits for changes of chats, for all callers of one host: those who read events or wait for a result, and chats that wait for
 * their parts. The backend reports most changes. Once a second one call compares the revisions of all these chats, so that no
 * change stays unnoticed and a chat in which nothing happens costs nothing of its own.
 */
export class ChatWatcher {
  readonly #backend: HostBackend
  readonly #onFollow: (id: string) => void
  readonly #chats = new Map<string, WatchedChat>()
  /** Ends the watch, which lasts while somebody waits. */
  #unwatch: (() => void) | undefined
  #isComparing = false
  #mustCompareAgain = false
  /** When the chats with readers were last followed, in ticks. */
  readonly #followedAt = new Map<string, number>()
  /** Chats that are followed next, and the call in which they are. */
  readonly #unfollowed = new Set<string>()
  #following: Promise<void> | undefined

  /** `onFollow` is called every few seconds for each chat whose events somebody reads. */
  constructor(backend: HostBackend, onFollow: (id: string) => void) {
    this.#backend = backend
    this.#onFollow = onFollow
  }

  /**
   * Calls `ask` until it returns an answer: at once, and after every change of the chat. Fails with `aborted` when the signal
   * aborts.
   */
  async until<T>(
    id: string,
    ask: () => Promise<T | undefined>,
    { signal, reads = false }: { readonly signal?: AbortSignal | undefined; readonly reads?: boolean },
  ): Promise<T> {
    let mayHaveChanged = true
    let wake = (): void => {}
    const leave = this.#enter(id, reads, () => {
      mayHaveChanged = true
      wake()
    })
    try {
      for (;;) {
        if (!mayHaveChanged) await abortable(new Promise<void>((resolve) => (wake = resolve)), signal)
        throwIfAborted(signal)
        mayHaveChanged = false
        const answer = await ask()
        if (answer !== undefined) return answer
      }
    } finally {
      leave()
    }
  }

  /** Reads the events of a chat until it has ended. */
  async *events(id: string, options: EventsOptions): AsyncGenerator<LoggedEvent> {
    const { store, events } = this.#backend
    let after = options.after ?? null
    const next = async (): Promise<readonly LoggedEvent[] | undefined> => {
      // The chat first, then its events: the log of a chat that has ended is complete.
      const chat = (await store.get(id)) ?? unknownChat(id)
      const { outcome } = chat
      if (!outcome) await abortable(this.#follow(id), options.signal)
      const page = await events.read(id, after, EVENTS_PER_PAGE)
      if (page.length > 0) return page
      if (!outcome) {
        checkWhole(chat)
        return undefined
      }
      // A chat that was deleted meanwhile has lost its events, so an empty page is not their end.
      return (await store.get(id)) ? page : unknownChat(id)
    }
    for (;;) {
      const page = await this.until(id, next, { signal: options.signal, reads: true })
      if (page.length === 0) return
      for (const each of page) {
        after = each.cursor
        yield each
      }
    }
  }

  /** Adds one who waits; returns a function that removes it. */
  #enter(id: string, reads: boolean, wake: () => void): () => void {
    const chat = this.#chats.get(id) ?? { wakes: new Set(), readers: 0, revision: undefined }
    this.#chats.set(id, chat)
    chat.wakes.add(wake)
    if (reads) chat.readers++
    this.#unwatch ??= this.#watch()
    return () => {
      chat.wakes.delete(wake)
      if (reads) chat.readers--
      if (chat.wakes.size === 0) this.#chats.delete(id)
      if (this.#chats.size > 0) return
      this.#unwatch?.()
      this.#unwatch = undefined
    }
  }

  #watch(): () => void {
    const unwatch = this.#backend.watch((id) => {
      if (id === null) void this.#compare()
      else for (const wake of this.#chats.get(id)?.wakes ?? []) wake()
    })
    const timer = setInterval(() => void this.#check(), CHECK_INTERVAL_MS)
    return () => {
      clearInterval(timer)
      unwatch()
    }
  }

  /** Compares revisions and renews followers, one after the other, so that both need one connection. */
  async #check(): Promise<void> {
    await this.#compare()
    await this.#renewFollowers()
  }

  /** Compares the revisions of all chats, and wakes those who wait for one that has changed. Never runs twice at once. */
  async #compare(): Promise<void> {
    this.#mustCompareAgain = true
    if (this.#isComparing) return
    this.#isComparing = true
    while (this.#mustCompareAgain) {
      this.#mustCompareAgain = false
      await Promise.all(callsOf([...this.#chats.keys()]).map(async (ids) => await this.#compareSome(ids)))
    }
    this.#isComparing = false
  }

  async #compareSome(ids: readonly string[]): Promise<void> {
    let revisions: readonly (string | null)[] | undefined
    try {
      revisions = await this.#backend.events.revisions(ids)
    } catch {
      // Those who wait ask for themselves, and get the error of what they ask for.
    }
    for (const [index, id] of ids.entries()) {
      const chat = this.#chats.get(id)
      const revision = revisions?.[index]
      // The first revision wakes too: the chat may have changed since it was asked for.
      if (!chat || (chat.revision !== undefined && chat.revision === revision)) continue
      chat.revision = revision
      for (const wake of chat.wakes) wake()
    }
  }

  /** Notes that somebody follows a chat, if that was not noted just now. Chats of one moment share a call. */
  async #follow(id: string): Promise<void> {
    if (this.#followAge(id) < MAX_FOLLOW_AGE_MS) return
    this.#unfollowed.add(id)
    this.#following ??= this.#followAll()
    await this.#following
  }

  async #followAll(): Promise<void> {
    await new Promise(setImmediate)
    this.#following = undefined
    const ids = [...this.#unfollowed]
    this.#unfollowed.clear()
    await this.#noteFollowed(ids)
  }

  async #noteFollowed(all: readonly string[]): Promise<void> {
    const now = platformTicks()
    for (const ids of callsOf(all)) {
      await this.#backend.events.follow(ids, FOLLOW_S)
      for (const id of ids) {
        this.#followedAt.set(id, now)
        this.#onFollow(id)
      }
    }
  }

  /** Follows all chats with readers again when one of them is due, and forgets those without. */
  async #renewFollowers(): Promise<void> {
    const ids: string[] = []
    for (const id of this.#followedAt.keys()) {
      if (this.#chats.get(id)?.readers) ids.push(id)
      else if (this.#followAge(id) >= MAX_FOLLOW_AGE_MS) this.#followedAt.delete(id)
    }
    if (!ids.some((id) => this.#followAge(id) >= FOLLOW_RENEWAL_MS)) return
    // A failure is ignored: it is tried again in a second, and readers get the error of what they read.
    await this.#noteFollowed(ids).catch(() => {})
  }

  #followAge(id: string): number {
    return platformTicks() - (this.#followedAt.get(id) ?? -Infinity)
  }
}

/** Splits identifiers into those of one call each. */
function callsOf(ids: readonly string[]): readonly (readonly string[])[] {
  const calls: (readonly string[])[] = []
  for (let first = 0; first < ids.length; first += CHATS_PER_CALL) calls.push(ids.slice(first, first + CHATS_PER_CALL))
  return calls
}
