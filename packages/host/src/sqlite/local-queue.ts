import type { ChatQueue, ChatStore, HostedChat, QueueWork } from '@x/interfaces'

/** Milliseconds after which a worker looks for chats whose time has come. */
const POLL = 250
/** Milliseconds after which a chat whose turn failed is tried again. */
const RETRY = 250

/** A queue that is nothing but the chats of a store that are due: for the one worker of a file. */
export class LocalQueue implements ChatQueue {
  readonly #store: ChatStore
  readonly #watch: (listener: () => void) => () => void
  readonly #begin: () => Disposable

  /** `begin` is called before work begins, and what it gives is disposed of at the end. */
  constructor(store: ChatStore, watch: (listener: () => void) => () => void, begin: () => Disposable) {
    this.#store = store
    this.#watch = watch
    this.#begin = begin
  }

  /** Does nothing: the store has the chat, and tells those that watch it. */
  add(): void {}

  async work({ kinds, concurrency, signal, run }: QueueWork): Promise<void> {
    using _ = this.#begin()
    const active = new Map<string, Promise<void>>()
    const alarm = new Alarm()
    const wake = (): void => alarm.ring()
    const unwatch = this.#watch(wake)
    signal.addEventListener('abort', wake)
    const start = async (id: string): Promise<void> => {
      try {
        await run(id)
      } catch {
        // The worker has told of it. The store may be out of order, and is given a moment.
        await pause(RETRY, signal)
      } finally {
        active.delete(id)
        wake()
      }
    }
    try {
      while (!signal.aborted) {
        const free = concurrency - active.size
        const due = free > 0 ? await this.#newDue(kinds, free, active) : []
        for (const { id } of due) active.set(id, start(id))
        await alarm.wait(POLL)
      }
    } finally {
      unwatch()
      signal.removeEventListener('abort', wake)
      await Promise.all(active.values())
    }
  }

  /** Chats that are due and not taken up: those that are may still be listed, as when they failed a moment ago. */
  async #newDue(
    kinds: QueueWork['kinds'],
    free: number,
    active: ReadonlyMap<string, unknown>,
  ): Promise<readonly HostedChat[]> {
    const isNew = ({ id }: HostedChat): boolean => !active.has(id)
    const first = await this.#store.due(kinds, free)
    const found = first.filter(isNew)
    if (found.length > 0 || first.length < free) return found
    return (await this.#store.due(kinds, free + active.size)).filter(isNew).slice(0, free)
  }
}

/** Wakes who waits; a ring while nobody waits is heard by the next. */
class Alarm {
  #rung = false
  #wake: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  async wait(ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#wake = undefined
    this.#rung = false
  }
}

/** Waits; an abort ends the waiting. */
const pause = async (ms: number, signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
