/** Interval at which changes by other processes are noticed. */
const POLL_INTERVAL_MS = 100

type Listener = (id: string | null) => void

/** Listeners for changes: this process reports its own changes, and a counter of the file shows those of other processes. */
export class Watchers {
  readonly #version: () => unknown
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined

  /** `version` returns a value that differs after every change by another process. */
  constructor(version: () => unknown) {
    this.#version = version
  }

  /** Calls all listeners; null stands for any chat. */
  notify(id: string | null): void {
    for (const listener of [...this.#listeners]) listener(id)
  }

  add(listener: Listener): () => void {
    // A wrapper, so that one function may be added twice.
    const own: Listener = (id) => listener(id)
    this.#listeners.add(own)
    this.#timer ??= this.#poll()
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) this.close()
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #poll(): NodeJS.Timeout {
    let last = this.#version()
    return setInterval(() => {
      const next = this.#versionOr(last)
      if (next === last) return
      last = next
      this.notify(null)
    }, POLL_INTERVAL_MS)
  }

  /** A file that cannot be read counts as unchanged: those that wait for a chat also poll, and get the error then. */
  #versionOr(last: unknown): unknown {
    try {
      return this.#version()
    } catch {
      return last
    }
  }
}
