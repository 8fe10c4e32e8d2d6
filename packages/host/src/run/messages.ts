import type { ClaimedChat, Io, JournalEntry, Run } from '@x/interfaces'
import { platformNow } from '../platform.ts'
import { Timers, type WaitTime } from './timers.ts'
import { checkpointIn, damagedChat } from '@x/kernel/hosting'
import { scopeOf } from '@x/kernel/run'

/** Name that tells the journal entries of messages from other entries of kind `human`. */
const MESSAGE_ENTRY_NAME = 'message'

/** The value of a journal entry: a message, with its number among the messages of the chat. */
interface UsedMessage {
  readonly number: number
  readonly message: unknown
}

/** The value of the journal entry of a message that did not come in time. */
const NO_MESSAGE = { timedOut: true }

/** A message or time for which a program waits. */
export type Awaited = ({ readonly for: 'message' } | { readonly for: 'time'; readonly at: number }) & {
  /** Place of the run that waits; undefined outside of it. */
  readonly place: string | undefined
}

/** The turn of a chat, as its messages need it. */
interface WaitingTurn {
  /** Called when the program can only wait; it stops the turn. */
  readonly onWait: (awaited: Awaited) => void
  /** Returns the time of the store, in milliseconds since 1970; default: that of this process. */
  readonly now?: (() => number) | undefined
}

/**
 * Gives the program the messages that were sent to its chat, each once, and the times for which it waits. The journal records
 * every message that was used.
 */
export class Messages {
  /** The messages from the first one on that the checkpoint of the chat has not used. */
  readonly #all: readonly unknown[]
  /** How many messages come before them. */
  readonly #before: number
  readonly #onWait: WaitingTurn['onWait']
  readonly #used: Set<number>
  readonly #places: string[] = []
  readonly timers: Timers

  constructor({ messages, entries }: Pick<ClaimedChat, 'messages' | 'entries'>, turn: WaitingTurn) {
    const { onWait, now = platformNow } = turn
    this.timers = new Timers(now, (time) => onWait({ for: 'time', ...time }))
    this.#all = messages
    this.#before = checkpointIn(entries.slice(0, 1))?.messages ?? 0
    this.#onWait = onWait
    this.#used = new Set(entries.filter(isMessage).map(({ value }) => (value as UsedMessage).number))
  }

  /** Places of the run at which it waits. */
  get waits(): readonly string[] {
    return [...this.#places, ...this.timers.places]
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

  /** Returns the next message, and records it at the current place of the run; undefined if none comes within a time. */
  async receive(run: Run, timeout?: WaitTime): Promise<unknown> {
    const timer = timeout === undefined ? undefined : this.timers.begin(run, timeout, 'receive a message')
    const open = scopeOf(run)?.open?.(run, { kind: 'human', name: MESSAGE_ENTRY_NAME })
    try {
      if (open?.known) return (open.known.value as Partial<UsedMessage>).message
      if (timer && !this.#hasNext) {
        if (!timer.isOver) await timer.keep()
        else return await open?.keep(NO_MESSAGE)
      }
      const used = await this.#take(open?.place)
      await open?.keep(used)
      return used.message
    } finally {
      open?.end()
      timer?.end()
    }
  }

  get #hasNext(): boolean {
    return this.used - this.#before < this.#all.length
  }

  async #take(place?: string): Promise<UsedMessage> {
    if (this.#hasNext) {
      const number = this.used
      this.#used.add(number)
      return { number, message: this.#all[number - this.#before] }
    }
    if (place !== undefined) this.#places.push(place)
    // The steps that ask are on the stack; stopped there, they would end before what they have started.
    await Promise.resolve()
    this.#onWait({ for: 'message', place })
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

const isMessage = ({ kind, name, value }: JournalEntry): boolean =>
  kind === 'human' && name === MESSAGE_ENTRY_NAME && 'number' in (value as object)
