import type { ClaimedChat, Io, JournalEntry, Run } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { scopeOf } from '@x/kernel/run'

/** Names the entries of messages among those of other humans. */
const NAME = 'message'

/** A message as a journal keeps it, with its number among those of the chat. */
interface UsedMessage {
  readonly number: number
  readonly message: unknown
}

/** Gives the messages that were sent to a chat, each once. One that was used is an entry of the journal, with its number. */
export class Messages {
  readonly #all: readonly unknown[]
  readonly #wait: () => void
  readonly #used: Set<number>

  /** `wait` is called where there is no further message: it stops the chat until there is one. */
  constructor({ messages, entries }: Pick<ClaimedChat, 'messages' | 'entries'>, wait: () => void) {
    this.#all = messages
    this.#wait = wait
    this.#used = new Set(entries.filter(isMessage).map(({ value }) => (value as UsedMessage).number))
  }

  /** Agents ask by this; what is asked without a `run` has no place at which it could be kept. */
  get io(): Io {
    const input: Io['input'] = async (_, { run } = {}) => {
      const message = run ? await this.receive(run) : (await this.#take()).message
      return typeof message === 'string' ? message : JSON.stringify(message)
    }
    return { takes: new Set(), send: () => {}, input }
  }

  /** Gives the next message, at a place of the run, and keeps it there. */
  async receive(run: Run): Promise<unknown> {
    const open = scopeOf(run)?.open?.(run, { kind: 'human', name: NAME })
    if (!open) return (await this.#take()).message
    if (open.known) return (open.known.value as UsedMessage).message
    try {
      const used = await this.#take()
      const kept = open.keep(used)
      if (isThenable(kept)) await kept
      return used.message
    } finally {
      open.end()
    }
  }

  async #take(): Promise<UsedMessage> {
    const number = this.#all.findIndex((_, index) => !this.#used.has(index))
    if (number >= 0) {
      this.#used.add(number)
      return { number, message: this.#all[number] }
    }
    this.#wait()
    // The run is stopped: nobody waits for this.
    return await new Promise<never>(() => {})
  }
}

const isMessage = ({ kind, name }: JournalEntry): boolean => kind === 'human' && name === NAME
