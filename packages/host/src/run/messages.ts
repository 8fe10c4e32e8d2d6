import type { ClaimedChat, Io, JournalEntry, MaybePromise, Run, SteeringSource } from '@x/interfaces'
import { platformNow } from '../platform.ts'
import { Timers, type WaitTime } from './timers.ts'
import { checkpointIn, damagedChat } from '@x/kernel/hosting'
import { scopeOf, unescapeTexts } from '@x/kernel/run'

/** Name that tells the journal entries of messages from other entries of kind `human`. */
const MESSAGE_ENTRY_NAME = 'message'
/** Beginning of the names of entries with the messages that a question to a model has taken in. */
const STEERING_ENTRY_NAME = 'steering'

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

/** A message of `host.steer`, with its number among the messages of the chat. */
interface TakenMessage {
  readonly text: string
  readonly number: number
}

/** Messages to the run in a checkpoint, besides its number of used messages. */
interface KeptSteering {
  /** Messages that no question to a model has taken in. */
  readonly waiting: readonly TakenMessage[]
  /** Numbers of messages behind these that were taken in. */
  readonly taken: readonly number[]
}

/** Asks the store for messages that came after the claim. */
export interface LaterMessages {
  /** Number of messages and decisions that the store has told last. */
  readonly heard: () => number
  /** Returns the JSON texts of the messages of the chat, without the first ones. */
  readonly read: (without: number) => MaybePromise<readonly string[]>
}

/** The turn of a chat, as its messages need it. */
interface WaitingTurn {
  /** Called when the program can only wait; it stops the turn. */
  readonly onWait: (awaited: Awaited) => void
  /** Returns the time of the store, in milliseconds since 1970; default: that of this process. */
  readonly now?: (() => number) | undefined
  /** Default: no message comes while the turn runs. */
  readonly later?: LaterMessages | undefined
}

/**
 * Gives the program the messages that were sent to its chat, each once, and the times for which it waits. The journal records
 * every message that was used. Messages of `host.steer` are among them, and go to the questions to models instead of `receive`.
 */
export class Messages {
  /** The messages from the first one on that the checkpoint of the chat has not used. */
  readonly #all: unknown[] = []
  /** Index among them of the next one that `receive` has not returned. */
  #next = 0
  /** How many messages come before them. */
  readonly #before: number
  readonly #id: string
  readonly #onWait: WaitingTurn['onWait']
  readonly #later: LaterMessages | undefined
  /** Numbers of the messages that `receive` or a question to a model has used. */
  readonly #used: Set<number>
  /** Messages to the run that no question to a model has taken in. */
  #steering: TakenMessage[]
  /** Number of messages and decisions with which the store was last asked for messages. */
  #asked: number
  /** Number of messages and decisions that the turn knows, which `suspend` of the store compares. */
  heard: number
  #places: string[] = []
  /** Give the next message to those that wait for it. */
  #waiting: ((used: UsedMessage) => void)[] = []
  /** How many calls of `receive` are under way. */
  #receiving = 0
  /** Place of the last message that was received alone, by the function of the program. */
  #repeatable: string | undefined
  readonly timers: Timers

  constructor(
    { id, messages, entries, heard }: Pick<ClaimedChat, 'id' | 'messages' | 'entries' | 'heard'>,
    { onWait, now = platformNow, later }: WaitingTurn,
  ) {
    this.timers = new Timers(now, (time) => onWait({ for: 'time', ...time }))
    this.#id = id
    this.#before = checkpointIn(entries.slice(0, 1))?.messages ?? 0
    this.#onWait = onWait
    this.#later = later
    this.#asked = this.heard = heard
    const { waiting = [], taken = [] } = steeringIn(entries[0])
    this.#used = new Set([...usedNumbers(entries), ...taken])
    this.#steering = waiting.filter(({ number }) => !this.#used.has(number))
    this.#add(messages)
  }

  /** True if the function of the program waits for one message, and for nothing else. */
  get isAtRest(): boolean {
    return (
      this.#waiting.length === 1 && this.#places.length === 1 && isTopLevel(this.#places[0]!) && this.timers.isUnused
    )
  }

  /** Returns true if a chat that was claimed again has the message that the program waits for. */
  hasNextIn(chat: Pick<ClaimedChat, 'messages' | 'entries'>): boolean {
    return this.#newIn(chat).some((message) => steeringText(message) === undefined)
  }

  /** Gives the program the message that it waits for, once its chat is claimed again. */
  goOn(chat: Pick<ClaimedChat, 'messages' | 'entries' | 'heard'>): void {
    const [give] = this.#waiting
    this.#waiting = []
    this.#places = []
    this.#add(this.#newIn(chat))
    this.#asked = this.heard = chat.heard
    give!(this.#takeNext())
  }

  /** Returns the messages of a chat that were not there at the claim before. */
  #newIn({ messages, entries }: Pick<ClaimedChat, 'messages' | 'entries'>): readonly unknown[] {
    const before = checkpointIn(entries.slice(0, 1))?.messages ?? 0
    return messages.slice(this.#before + this.#all.length - before)
  }

  /**
   * True for the entry of a message that a start from the journal without it would take again: the next one of the chat, for
   * the function of the program, which waits for no other and until no time.
   */
  isRepeatable({ kind, name, place }: JournalEntry): boolean {
    return kind === 'human' && name === MESSAGE_ENTRY_NAME && place === this.#repeatable
  }

  /** Places of the run at which it waits. */
  get waits(): readonly string[] {
    return [...this.#places, ...this.timers.places]
  }

  /** Values for a checkpoint: how many messages the next start need not read, and the messages to the run among them. */
  get kept(): { readonly messages: number; readonly steering?: KeptSteering } {
    const messages = this.#before + this.#next
    const waiting = this.#steering.filter(({ number }) => number < messages)
    const taken = [...this.#used].filter((number) => number >= messages)
    return { messages, ...(waiting.length + taken.length > 0 && { steering: { waiting, taken } }) }
  }

  /** The messages of `host.steer`, for the questions to models. */
  get steering(): SteeringSource {
    const hasNone = (): boolean => !this.#hasNews && this.#steering.length === 0
    return {
      take: () => this.#takeSteering(),
      get isEmpty() {
        return hasNone()
      },
    }
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
    this.#receiving++
    try {
      if (open?.known) return (open.known.value as Partial<UsedMessage>).message
      if (timer && !this.#hasNext) {
        if (!timer.isOver) await timer.keep()
        else return await open?.keep(NO_MESSAGE)
      }
      const used = await this.#take(open?.place)
      if (!timer && open && isTopLevel(open.place) && this.#receiving === 1) this.#repeatable = open.place
      await open?.keep(used)
      return used.message
    } finally {
      this.#receiving--
      open?.end()
      timer?.end()
    }
  }

  get #hasNext(): boolean {
    return this.#next < this.#all.length
  }

  async #take(place?: string): Promise<UsedMessage> {
    if (this.#hasNext) return this.#takeNext()
    if (place !== undefined) this.#places.push(place)
    // The steps that ask are on the stack; stopped there, they would end before what they have started.
    await Promise.resolve()
    this.#onWait({ for: 'message', place })
    // If the run is stopped, this promise stays pending.
    return await new Promise<UsedMessage>((resolve) => this.#waiting.push(resolve))
  }

  #takeNext(): UsedMessage {
    const number = this.#before + this.#next
    const message = this.#all[this.#next]
    this.#used.add(number)
    this.#skipUsed()
    return { number, message }
  }

  #add(messages: readonly unknown[]): void {
    for (const message of messages) {
      const number = this.#before + this.#all.length
      const text = steeringText(message)
      this.#all.push(message)
      if (text !== undefined && !this.#used.has(number)) this.#steering.push({ text, number })
    }
    this.#skipUsed()
  }

  /** Goes to the next message that is for `receive` and not used. */
  #skipUsed(): void {
    while (
      this.#next < this.#all.length &&
      (this.#used.has(this.#before + this.#next) || steeringText(this.#all[this.#next]) !== undefined)
    ) {
      this.#next++
    }
  }

  get #hasNews(): boolean {
    return this.#later !== undefined && this.#later.heard() > this.#asked
  }

  async #takeSteering(): Promise<readonly TakenMessage[]> {
    if (this.#hasNews) {
      this.#asked = this.#later!.heard()
      const texts = await this.#later!.read(this.#before + this.#all.length)
      this.#add(readMessages(this.#id, texts))
      this.heard += texts.length
    }
    const taken = this.#steering
    this.#steering = []
    for (const { number } of taken) this.#used.add(number)
    return taken
  }
}

/** The key of a message to the run: an object with nothing else. */
const STEERING_KEY = '$steer'

/** Makes the message that tells `steer` from `send` in a store. */
export const steeringMessage = (text: string): { readonly [STEERING_KEY]: string } => ({ [STEERING_KEY]: text })

/** Returns the text of a message to the run; undefined for any other message. */
export function steeringText(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || Object.keys(message).length !== 1) return undefined
  const text = (message as { readonly [STEERING_KEY]?: unknown })[STEERING_KEY]
  return typeof text === 'string' ? text : undefined
}

/** True for a place of the function of a program itself, outside of every chat and call. */
const isTopLevel = (place: string): boolean => /^\d+$/u.test(place)

/** Returns the messages of a chat up to the last one that entries have used, from their JSON texts. */
export function usedMessages(id: string, entries: readonly JournalEntry[], texts: readonly string[]): unknown[] {
  return readMessages(id, texts.slice(0, Math.max(-1, ...usedNumbers(entries)) + 1))
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

/** Returns the numbers of the messages that entries have used. */
const usedNumbers = (entries: readonly JournalEntry[]): readonly number[] =>
  entries.flatMap(({ kind, name, value }) => {
    if (kind === 'human' && name === MESSAGE_ENTRY_NAME) return (value as Partial<UsedMessage>).number ?? []
    if (kind !== 'job' || !name?.startsWith(STEERING_ENTRY_NAME) || !Array.isArray(value)) return []
    return (value as readonly Partial<TakenMessage>[]).flatMap((each) => each?.number ?? [])
  })

/** Returns what a checkpoint has kept of messages to the run. */
const steeringIn = (entry: JournalEntry | undefined): Partial<KeptSteering> =>
  entry?.kind === 'checkpoint'
    ? ((unescapeTexts(entry.value) as { readonly steering?: KeptSteering } | null)?.steering ?? {})
    : {}
