type Listener = (id: string | null) => void

/** Listeners of changes, with a connection as long as there is one. */
export class Listeners {
  readonly #connect: (tell: Listener) => Promise<() => void | Promise<void>>
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<Listener>()
  #connection: Promise<(() => void | Promise<void>) | undefined> | undefined
  #isClosed = false

  /** `connect` begins to tell of changes, and gives what ends it. */
  constructor(connect: (tell: Listener) => Promise<() => void | Promise<void>>, onError: (error: unknown) => void) {
    this.#connect = connect
    this.#onError = onError
  }

  add(listener: Listener): () => void {
    // One function may be added twice.
    const own: Listener = (id) => listener(id)
    this.#listeners.add(own)
    if (!this.#isClosed) this.#connection ??= this.#connected()
    return () => void this.#listeners.delete(own)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    const end = await this.#connection
    this.#connection = undefined
    await end?.()
  }

  async #connected(): Promise<(() => void | Promise<void>) | undefined> {
    try {
      const end = await this.#connect((id) => {
        for (const listener of [...this.#listeners]) listener(id)
      })
      // Something may have changed before the connection was there.
      for (const listener of [...this.#listeners]) listener(null)
      return end
    } catch (error) {
      // Who waits looks from time to time; the next listener tries again.
      this.#connection = undefined
      this.#onError(error)
      return undefined
    }
  }
}
