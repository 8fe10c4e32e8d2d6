import type { ChatClaim, ChatOutcome, HostBackend, HostedChat, MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions } from '@x/kernel/options'
import type { DefinedChat, PerformOptions } from '../define-chat.ts'
import { KINDS } from '../host-options.ts'
import { plainJson } from '../plain-json.ts'
import { digestOf } from '../platform.ts'
import { checkWhole, partError } from '../chat-errors.ts'
import { untilAnswer } from './until-answer.ts'

/** How many parts are looked through at once. */
const PAGE = 100
/** How many of them are ended at once. */
const TOGETHER = 10

/** Begins the identifiers of all parts of a chat. */
const prefixOf = (id: string): string => `${id}/part-`

/** The end of the identifier of a part: a digest of its input, and the number of the attempt. */
const OWN_NAME = String.raw`/part-[\w-]{27}\.\d+`
const OWN_NAMES = new RegExp(`^(?:${OWN_NAME})+$`, 'u')
const WHOLE = new RegExp(`^(.+)${OWN_NAME}$`, 'su')

/** Whether a chat is a part of another, or of a part of it. A program may have chats of its own named `report` and `report/part-1`. */
export const isPartOf = (id: string, part: string): boolean =>
  part.startsWith(prefixOf(id)) && OWN_NAMES.test(part.slice(id.length))

/** The identifier of the chat of which another is a part; undefined for one that is none. */
export const wholeOf = (id: string): string | undefined => WHOLE.exec(id)?.[1]

type Part = Pick<HostedChat, 'id' | 'name' | 'version' | 'input'>

/** The turn of a chat, for its parts. */
interface OfTurn {
  /** Fires when the worker lets go of the chat: its parts go on then. */
  readonly stop: AbortSignal
  /** Hears that the chat has ended, or that another worker has it. */
  readonly onLost: () => void
  /** Hears that the store or queue has failed: how the part ends is not known, and the program is not to go on. */
  readonly onFailure: (error: unknown) => void
}

/** The parts of a chat that are chats themselves, run by any worker. */
export class Parts {
  readonly #backend: HostBackend
  readonly #chat: ChatClaim
  readonly #turn: OfTurn
  /** Whether there may be any of this worker. */
  used = false

  constructor(backend: HostBackend, chat: ChatClaim, turn: OfTurn) {
    this.#backend = backend
    this.#chat = chat
    this.#turn = turn
  }

  async perform(definition: DefinedChat, given: unknown, options: PerformOptions = {}): Promise<unknown> {
    checkOptions(options, KINDS.perform, 'run `perform`')
    // The run is stopped: nobody waits for this, and a program that tries again and again is not to spin.
    if (this.#turn.stop.aborted) return await new Promise<never>(() => {})
    const { name, version, concurrency } = definition
    if (concurrency === undefined) {
      throw new XError(
        'invalid-argument',
        `cannot perform the program \`${name}\`: give its \`defineChat\` a \`concurrency\`, so that chats that wait for it leave it room`,
      )
    }
    const { key = '', signal } = options
    await definition.check(given)
    const input = plainJson(given, 'run `perform`', 'its input')
    const prefix = `${prefixOf(this.#chat.id)}${digestOf(JSON.stringify([name, version, key, input]))}`
    const stop = signal ? AbortSignal.any([this.#turn.stop, signal]) : this.#turn.stop
    this.used = true
    for (let attempt = 0; ; attempt++) {
      const id = `${prefix}.${attempt}`
      const outcome = await this.#attempt({ id, name, version, input }, stop)
      if (outcome.state === 'done') return outcome.value
      if (outcome.state === 'failed') throw partError(id, outcome.error)
      await this.#checkChat()
    }
  }

  /** Stops where the chat has ended, as one that was cancelled with its parts, or has another worker. */
  async #checkChat(): Promise<void> {
    const { id, epoch } = this.#chat
    const chat = await this.#known(() => this.#backend.store.get(id))
    if (chat && !chat.outcome && chat.epoch === epoch) return
    this.#turn.onLost()
    throw new XError('aborted', `the chat \`${id}\` was cancelled, or another worker has it`)
  }

  /** Runs one attempt, to its end; one that had failed before is as good as cancelled. */
  async #attempt(part: Part, stop: AbortSignal): Promise<ChatOutcome> {
    const { store } = this.#backend
    const { id } = part
    let isHandedIn = false
    // Changes are heard before it is handed in: nobody need look at it before the first.
    const ended = async (): Promise<ChatOutcome | undefined> => {
      const isFirst = !isHandedIn
      const found = await this.#known(() => (isFirst ? this.#handIn(part) : store.get(id)))
      isHandedIn = true
      if (!found) return { state: 'cancelled', reason: 'it was forgotten' }
      if (!found.outcome) checkWhole(found)
      if (isFirst && found.outcome?.state === 'failed') return { state: 'cancelled', reason: 'it had failed before' }
      return found.outcome ?? undefined
    }
    try {
      return await untilAnswer(this.#backend, id, ended, stop)
    } catch (error) {
      // Only what nobody needs is cancelled: the next worker of the chat goes on with the others.
      if (stop.aborted && !this.#turn.stop.aborted) await this.#known(() => store.cancel(id, 'no longer needed'))
      throw error
    }
  }

  /** Asks the store or queue; a failure is none of the part. */
  async #known<T>(ask: () => MaybePromise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      this.#turn.onFailure(error)
      throw error
    }
  }

  /** Hands a part in, and puts it in line where it waits: the worker before may have died before it did. */
  async #handIn(part: Part): Promise<HostedChat> {
    const { store, queue } = this.#backend
    const { chat } = await store.submit({ ...part, durable: false })
    if (chat.state === 'waiting') await queue.add(chat, this.#chat.id)
    return chat
  }
}

/** Whether a chat is there and has not ended. */
export async function isOpen({ store }: HostBackend, id: string): Promise<boolean> {
  const chat = await store.get(id)
  return chat !== null && !chat.outcome
}

/** Ends and forgets a part. */
export async function endPart({ store }: HostBackend, { id, outcome }: HostedChat): Promise<void> {
  if (!outcome) await store.cancel(id, 'the chat that it is a part of has ended')
  await store.delete(id)
}

/** Ends and forgets the parts of a chat. */
export async function endParts(backend: HostBackend, id: string): Promise<void> {
  const prefix = prefixOf(id)
  let after = prefix
  for (;;) {
    const page = await backend.store.list({ after, limit: PAGE })
    const parts = page.filter((chat) => isPartOf(id, chat.id))
    for (let first = 0; first < parts.length; first += TOGETHER) {
      await Promise.all(parts.slice(first, first + TOGETHER).map(async (part) => await endPart(backend, part)))
      // Many parts in one file would hold up everything else in this process.
      await new Promise(setImmediate)
    }
    after = page.at(-1)?.id ?? after
    if (page.length < PAGE || !after.startsWith(prefix)) return
  }
}
