/** An answer that is not in the file yet. */
export interface PendingWrite {
  readonly text: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Answers that wait for a locked file at most. */
const MOST = 1000

/** Characters of all of them at most. */
const MOST_LENGTH = 32 * 2 ** 20

/** Milliseconds between two attempts to write what waits. */
const INTERVAL = 500

/** Answers that wait until their file can be written, oldest first; the oldest go when there are too many. */
export class PendingWrites {
  readonly #writes = new Map<string, PendingWrite>()
  /** Writes one; gives false when the file is locked. */
  readonly #write: (key: string, write: PendingWrite) => boolean
  #length = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(write: (key: string, write: PendingWrite) => boolean) {
    this.#write = write
  }

  get(key: string): PendingWrite | undefined {
    return this.#writes.get(key)
  }

  /** Adds a write and makes those that can be made. */
  add(key: string, write: PendingWrite): void {
    this.#drop(key)
    this.#writes.set(key, write)
    this.#length += write.text.length
    this.flush()
    for (const oldest of this.#writes.keys()) {
      if (this.#writes.size <= MOST && this.#length <= MOST_LENGTH) break
      this.#drop(oldest)
    }
  }

  /** Makes the writes that can be made; the others are tried again later. One that fails is dropped. */
  flush(): void {
    for (const [key, write] of this.#writes) {
      let written = true
      try {
        written = this.#write(key, write)
      } finally {
        if (written) this.#drop(key)
      }
      if (!written) return this.#tryLater()
    }
  }

  /** Makes the writes that can be made, and drops the others. */
  end(): void {
    try {
      this.flush()
    } catch {
      // A cache may forget.
    }
    clearTimeout(this.#timer)
    this.#writes.clear()
  }

  #tryLater(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      try {
        this.flush()
      } catch {
        // The next one who uses the cache hears of it.
      }
    }, INTERVAL)
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  #drop(key: string): void {
    this.#length -= this.#writes.get(key)?.text.length ?? 0
    this.#writes.delete(key)
  }
}
