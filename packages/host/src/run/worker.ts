import type { ClaimedChat, HostBackend, HostedChat } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import type { DefinedChat } from '../define-chat.ts'
import type { HostCounters } from '../monitoring/host-counters.ts'
import { every } from './every.ts'
import { forgetChat } from './forget.ts'
import { endPart, endParts, isOpen, isPartOf, wholeOf } from './parts.ts'
import { Turn } from './turn.ts'

/** Options of a worker. */
export interface WorkerOptions {
  readonly chats: readonly DefinedChat[]
  readonly concurrency: number
  /** Seconds. */
  readonly lease: number
  readonly signal: AbortSignal
  /** Seconds after which chats that have ended are forgotten; undefined: never. */
  readonly retention: number | undefined
  readonly onError: (error: unknown) => void
  readonly counters: HostCounters
}

/** Seconds after which a worker asks who follows the chats whose answers it holds. */
const ASK = 1
/** Seconds after which it forgets chats that have ended. */
const FORGET = 60
/** How many chats are put in line again, or forgotten, at once. */
const BATCH = 100
/** Setbacks of a chat in a row of which is told. */
const MANY = 3

/** Works on the chats of a backend until its signal: takes them up, prolongs its claims, and gives them back at the end. */
export class Worker {
  readonly #backend: HostBackend
  readonly #options: WorkerOptions
  /** What it has under way, by the identifiers of chats. */
  readonly #turns = new Map<string, Turn>()
  /** Parts that ended long ago, of chats that may still ask for them. */
  #needed = 0

  constructor(backend: HostBackend, options: WorkerOptions) {
    this.#backend = backend
    this.#options = options
  }

  /** Whether it gives its chats back. */
  get isEnding(): boolean {
    return this.#options.signal.aborted
  }

  /** Most chats that it may have, without those of programs with a number of their own. */
  get concurrency(): number {
    const { chats, concurrency } = this.#options
    return chats.every(hasOwnNumber) ? 0 : concurrency
  }

  /** Chats that it has, without those of programs with a number of their own. */
  get active(): number {
    return [...this.#turns.values()].filter(({ definition }) => !hasOwnNumber(definition)).length
  }

  /** Resolves when everything was given back after the signal. */
  async work(): Promise<void> {
    const { chats, concurrency, lease, signal, counters } = this.#options
    const kinds = chats.map(({ name, version, concurrency: own }) => ({ name, version, concurrency: own }))
    const run = (id: string): Promise<void> => this.#run(id)
    const onError = (error: unknown): void => this.#tell(error)
    const giveBack = (): void => {
      for (const turn of this.#turns.values()) turn.stop({ why: 'release' })
    }
    counters.begin(chats)
    signal.addEventListener('abort', giveBack)
    using _ask = every(ASK, () => this.#askFollowed(), onError)
    using _renew = every(lease / 3, () => this.#renew(), onError)
    using _sweep = every(Math.max(lease, 1), () => this.#sweep(), onError)
    using _forget = every(FORGET, () => this.#forget(), onError)
    try {
      await this.#backend.queue.work({ kinds, concurrency, lease, signal, run, onError })
    } finally {
      signal.removeEventListener('abort', giveBack)
    }
  }

  /** Is told that somebody in this process follows a chat. */
  followed(id: string): void {
    this.#turns.get(id)?.follow()
  }

  /** Stops the turns of a chat that was cancelled in this process, and of its parts. */
  cancelled(id: string): void {
    for (const [other, turn] of this.#turns) {
      if (other === id || isPartOf(id, other)) turn.stop({ why: 'lost' })
    }
  }

  /** Goes on with a chat as long as there is something to do; fails where the store does. */
  async #run(id: string): Promise<void> {
    try {
      let again: HostedChat | null
      do {
        if (this.isEnding) return
        const chat = await this.#backend.store.claim(id, this.#options.lease, wholeOf(id))
        if (!chat) return await this.#endLeft(id)
        // A whole that is open now forgets its parts when it ends.
        if (chat.isLeft) return await endPart(this.#backend, chat)
        again = await this.#turn(chat)
      } while (again)
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause)
      const error = new XError('invalid-state', `the worker could not go on with the chat \`${id}\`: ${problem}`, {
        cause,
        details: { id },
      })
      this.#tell(error)
      throw error
    }
  }

  /** Ends the parts of a chat that comes although it has ended: its worker died, or its store failed, before they were. */
  async #endLeft(id: string): Promise<void> {
    try {
      if (!(await isOpen(this.#backend, id))) await endParts(this.#backend, id)
    } catch (error) {
      // Whether a chat has ended that cannot be read is not known, and it says so to who asks for it.
      if (!isXError(error, 'invalid-state')) throw error
    }
  }

  /** Makes a turn of a chat; gives the chat where it is to go on here. */
  async #turn(chat: ClaimedChat): Promise<HostedChat | null> {
    const { chats, counters } = this.#options
    const definition = chats.find(({ name, version }) => name === chat.name && version === chat.version)
    if (!definition) return await this.#handOver(await this.#backend.store.release(chat))
    if (chat.takenOver) counters.countTakeover(chat)
    if (chat.setbacks >= MANY) this.#tell(setBack(chat, 'its workers were lost, or put it off, with nothing kept'))
    const turn = new Turn(this.#backend, definition, chat, (event) => counters.hear(event))
    // The time of its claim has passed unseen, as when this process was stopped for a while.
    this.#turns.get(chat.id)?.stop({ why: 'lost' })
    this.#turns.set(chat.id, turn)
    if (this.isEnding) turn.stop({ why: 'release' })
    try {
      const { how, again, reason } = await turn.run()
      counters.countTurn(chat, how)
      if (reason !== undefined) this.#tell(setBack(chat, `its program was refused: ${reason}`))
      return this.isEnding ? await this.#handOver(again) : again
    } finally {
      if (this.#turns.get(chat.id) === turn) this.#turns.delete(chat.id)
    }
  }

  /** Puts a chat in line for another worker. */
  async #handOver(chat: HostedChat | null): Promise<null> {
    if (chat) await this.#backend.queue.add(chat)
    return null
  }

  #tell(error: unknown): void {
    this.#options.counters.countError()
    this.#options.onError(error)
  }

  /** Prolongs the claims; who has lost one stops. */
  async #renew(): Promise<void> {
    const claims = [...this.#turns].map(([id, { epoch }]) => ({ id, epoch }))
    if (claims.length === 0) return
    const held = new Set(await this.#backend.store.renew(claims, this.#options.lease))
    for (const { id, epoch } of claims) {
      const turn = this.#turns.get(id)
      if (turn?.epoch === epoch && !held.has(id)) turn.stop({ why: 'lost' })
    }
  }

  /** Sends on the answers that it holds of chats that somebody follows by now. */
  async #askFollowed(): Promise<void> {
    const ids = [...this.#turns].flatMap(([id, turn]) => (turn.holds ? [id] : []))
    if (ids.length === 0) return
    for (const id of await this.#backend.events.followed(ids)) this.followed(id)
  }

  /** Puts in line what waits for long: a queue may have lost it, or a process has ended between store and queue. */
  async #sweep(): Promise<void> {
    const { store, queue } = this.#backend
    for (const chat of await store.due(this.#options.chats, BATCH)) {
      // It is due by the clock of the store, whatever others say.
      if (!this.#turns.has(chat.id)) await queue.add({ ...chat, at: 0 })
    }
  }

  async #forget(): Promise<void> {
    const { retention } = this.#options
    if (retention === undefined) return
    const expired = await this.#backend.store.expired(retention, BATCH + this.#needed)
    this.#needed = 0
    for (const { id } of expired) {
      const whole = wholeOf(id)
      if (whole !== undefined && (await isOpen(this.#backend, whole))) this.#needed++
      else await forgetChat(this.#backend, id)
    }
  }
}

/** Makes the error of a chat that goes on later. */
const setBack = ({ id, setbacks }: HostedChat, why: string): XError =>
  new XError(
    'invalid-state',
    `the chat \`${id}\` does not get on: ${why}; it is taken up later and later, and \`host.cancel\` ends it`,
    { details: { id, setbacks } },
  )

const hasOwnNumber = ({ concurrency }: DefinedChat): boolean => concurrency !== undefined
