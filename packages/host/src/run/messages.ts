import type { ClaimedChat, Io, JournalEntry, Run } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { checkpointIn, damagedChat } from '@x/kernel/hosting'
import { scopeOf } from '@x/kernel/run'

/** Name that tells the journal entries of messages from other entries of kind `human`. */
const MESSAGE_ENTRY_NAME = 'message'

/** The value of a journal entry: a message, with its number among the messages of the chat. */
interface UsedMessage {
  readonly number: number
  readonly message: unknown
}

/** Gives the program the messages that were sent to its chat, each once. The journal records every message that was used. */
export class Messages {
  /** The messages from the first one on that the checkpoint of the chat has not used. */
  readonly #all: readonly unknown[]
  /** How many messages come before them. */
  readonly #before: number
  readonly #onWait: () => void
  readonly #used: Set<number>
  /** Places of the run at which it waits for a message. */
  readonly waits: string[] = []

  /** `onWait` is called when all messages are used; it stops the turn until the next message. */
  constructor({ messages, entries }: Pick<ClaimedChat, 'messages' | 'entries'>, onWait: () => void) {
    this.#all = messages
    this.#before = checkpointIn(entries.slice(0, 1))?.messages ?? 0
    this.#onWait = onWait
    this.#used = new Set(entries.filter(isMessage).map(({ value }) => (value as UsedMessage).number))
  }

  /** How many messages are used: the first ones, since each is used before those that came later. */
  get used(): number {
    return this.#before + this.#used.size
  }

  /** Answers agents that ask a human. A question without a `run` has no place in the journal, so its answer is not recorded. */
  get io(): Io {
    const input: Io['input'] = async (_, { run } = {}) => {
      const message = run ? await this.receive(run) : (await this.#take()).message
      return typeof message === 'string' ? message : JSON.stringify(message)
    }
    return { takes: new Set(), send: () => {}, input }
  }

  /** Returns the next message, and records it at the current place of the run. */
  async receive(run: Run): Promise<unknown> {
    const open = scopeOf(run)?.open?.(run, { kind: 'human', name: MESSAGE_ENTRY_NAME })
    if (!open) return (await this.#take()).message
    if (open.known) return (open.known.value as UsedMessage).message
    try {
      const used = await this.#take(open.place)
      const kept = open.keep(used)
      if (isThenable(kept)) await kept
      return used.message
    } finally {
      open.end()
    }
  }

  async #take(place?: string): Promise<UsedMessage> {
    const number = this.used
    if (number - this.#before < this.#all.length) {
      this.#used.add(number)
      return { number, message: this.#all[number - this.#before] }
    }
    if (place !== undefined) this.waits.push(place)
    // The steps that ask are on the stack; stopped there, they would end before what they have started.
    await Promise.resolve()
    this.#onWait()
    // The run is stopped, so this promise stays pending.
    return await new Promise<never>(() => {})
  }
}

/** Returns the messages of a chat up to the last one that entries have used, from their JSON texts. */
export function usedMessages(id: string, entries: readonly JournalEntry[], texts: readonly string[]): unknown[] {
  const numbers = entries.filter(isMessage).map(({ value }) => (value as UsedMessage).number)
  return readMessages(id, texts.slice(0, Math.max(-1, ...numbers) + 1))
}

/** Reads the messages of a chat from their JSON texts; fails with `invalid-state`, which names the chat. */
export const readMessages = (id: string, texts: readonly string[]): unknown[] =>
  texts.map((text, number) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      throw damagedChat(id, `message ${number} is not JSON`)
    }
  })

const isMessage = ({ kind, name }: JournalEntry): boolean => kind === 'human' && name === MESSAGE_ENTRY_NAME
