import type { ClaimedChat, Io, Run } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { scopeOf } from '@x/kernel/run'

/** Gives the messages that were sent to a chat, each once. Every message that was used is a `human` entry of the journal. */
export class Messages {
  readonly #all: readonly unknown[]
  readonly #wait: () => void
  #next: number

  /** `wait` is called where there is no further message: it stops the chat until there is one. */
  constructor({ messages, entries }: ClaimedChat, wait: () => void) {
    this.#all = messages
    this.#wait = wait
    this.#next = entries.filter(({ kind }) => kind === 'human').length
  }

  /** Agents ask by this, and keep the answers themselves. */
  get io(): Io {
    const input = async (): Promise<string> => {
      const message = await this.#take()
      return typeof message === 'string' ? message : JSON.stringify(message)
    }
    return { takes: new Set(), send: () => {}, input }
  }

  /** Gives the next message, at a place of the run, and keeps it there. */
  async receive(run: Run): Promise<unknown> {
    const open = scopeOf(run)!.open!(run, { kind: 'human' })!
    if (open.known) return open.known.value
    try {
      const message = await this.#take()
      const kept = open.keep(message)
      if (isThenable(kept)) await kept
      return message
    } finally {
      open.end()
    }
  }

  async #take(): Promise<unknown> {
    if (this.#next < this.#all.length) return this.#all[this.#next++]
    this.#wait()
    // The run is stopped: nobody waits for this.
    return await new Promise<never>(() => {})
  }
}
