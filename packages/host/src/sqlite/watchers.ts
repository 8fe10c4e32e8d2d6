/** Milliseconds after which changes of other processes are noticed. */
const POLL = 100

type Listener = (id: string | null) => void

/** Those who wait for changes: of this process, which tells them, and of others, which a number of the file counts. */
export class Watchers {
  readonly #version: () => unknown
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined

  /** `version` gives a value that changes with every change of another process. */
  constructor(version: () => unknown) {
    this.#version = version
  }

  tell(id: string | null): void {
    for (const listener of [...this.#listeners]) listener(id)
  }

  add(listener: Listener): () => void {
    // One function may be added twice.
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
      this.tell(null)
    }, POLL)
  }

  /** A file that cannot be read has not changed: those who wait look by themselves, too, and hear of it then. */
  #versionOr(known: unknown): unknown {
    try {
      return this.#version()
    } catch {
      return known
    }
  }
}
