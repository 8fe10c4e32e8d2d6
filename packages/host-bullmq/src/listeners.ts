type Listener = (id: string | null) => void

/** Listeners for changes of chats, with one connection that is made for the first of them. */
export class Listeners {
  readonly #connect: (notify: Listener) => Promise<() => void | Promise<void>>
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<Listener>()
  #connection: Promise<(() => void | Promise<void>) | undefined> | undefined
  #isClosed = false

  /** `connect` begins to call `notify` on changes, and returns a function that disconnects. */
  constructor(connect: (notify: Listener) => Promise<() => void | Promise<void>>, onError: (error: unknown) => void) {
    this.#connect = connect
    this.#onError = onError
  }

  add(listener: Listener): () => void {
    // A wrapper, so that one function may be added twice.
    const own: Listener = (id) => listener(id)
    this.#listeners.add(own)
    if (!this.#isClosed) this.#connection ??= this.#open()
    return () => void this.#listeners.delete(own)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    const disconnect = await this.#connection
    this.#connection = undefined
    await disconnect?.()
  }

  async #open(): Promise<(() => void | Promise<void>) | undefined> {
    try {
      const disconnect = await this.#connect((id) => this.#notify(id))
      // A chat may have changed before the connection was open.
      this.#notify(null)
      return disconnect
    } catch (error) {
      // The next listener connects again; until then, those that wait for a change poll.
      this.#connection = undefined
      this.#onError(error)
      return undefined
    }
  }

  #notify(id: string | null): void {
    for (const listener of [...this.#listeners]) listener(id)
  }
}
