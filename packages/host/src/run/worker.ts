import type { ClaimedChat, HostBackend, HostedChat } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { DefinedChat } from '../define-chat.ts'
import type { HostCounters } from '../monitoring/host-counters.ts'
import { endPart, endParts, isOpen, wholeOf } from './parts.ts'
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

/** How many chats are put in line again, or forgotten, at once. */
const BATCH = 100
/** Setbacks of a chat in a row of which is told. */
const MANY = 3

/** Works on the chats of a backend until its signal: takes them up, prolongs its claims, and gives them back at the end. */
export class Worker {
  readonly #backend: HostBackend
  readonly #options: WorkerOptions
  readonly #turns = new Map<string, Turn>()
  #ending = false
  /** Parts that ended long ago, of chats that may still ask for them. */
  #needed = 0

  constructor(backend: HostBackend, options: WorkerOptions) {
    this.#backend = backend
    this.#options = options
  }

  /** Resolves when everything was given back after the signal. */
  async work(): Promise<void> {
    const { chats, concurrency, lease, signal } = this.#options
    const kinds = chats.map(({ name, version, concurrency: own }) => ({ name, version, concurrency: own }))
    const ended = new AbortController()
    const onAbort = (): void => {
      this.#ending = true
      for (const turn of this.#turns.values()) turn.stop({ why: 'release' })
      ended.abort()
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    const timers = [
      this.#every(ASK, () => this.#askFollowed()),
      this.#every(lease / 3, () => this.#renew()),
      this.#every(Math.max(lease, 1), () => this.#sweep()),
      this.#every(60, () => this.#forget()),
    ]
    try {
      const run = (id: string): Promise<void> => this.#run(id)
      const onError = (error: unknown): void => this.#tell(error)
      await this.#backend.queue.work({ kinds, concurrency, lease, signal: ended.signal, run, onError })
    } finally {
      signal.removeEventListener('abort', onAbort)
      for (const timer of timers) clearInterval(timer)
    }
  }

  /** Whether it gives its chats back. */
  get isEnding(): boolean {
    return this.#ending
  }

  /** Most chats that it may have. */
  get concurrency(): number {
    return this.#options.concurrency
  }

  /** Chats that it has. */
  get active(): number {
    return this.#turns.size
  }

  /** Is told that somebody in this process follows a chat. */
  followed(id: string): void {
    this.#turns.get(id)?.follow()
  }

  /** Stops the turn of a chat that was cancelled in this process. */
  cancelled(id: string): void {
    this.#turns.get(id)?.stop({ why: 'lost' })
  }

  /** Goes on with a chat as long as there is something to do; fails where the store does. */
  async #run(id: string): Promise<void> {
    const { store, queue } = this.#backend
    try {
      while (!this.#ending) {
        const chat = await store.claim(id, this.#options.lease)
        if (!chat) return
        const definition = this.#options.chats.find(
          ({ name, version }) => name === chat.name && version === chat.version,
        )
        if (!definition) return void (await store.release(chat))
        if (await this.#isLeft(chat)) return
        const again = await this.#turn(chat, definition)
        if (!again) return
        if (this.#ending) return await queue.add(again)
      }
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

  /** Has one turn of a chat; gives the chat where there is another at once. */
  async #turn(chat: ClaimedChat, definition: DefinedChat): Promise<HostedChat | null> {
    const { id } = chat
    const { counters } = this.#options
    if (chat.takenOver) counters.countTakeover(chat)
    if (chat.setbacks >= MANY) this.#tell(setBack(chat, 'its workers were lost, or put it off, with nothing kept'))
    const turn = new Turn(this.#backend, definition, chat, (event) => counters.hear(event))
    // One whose claim has ended meanwhile; nobody else would tell it.
    this.#turns.get(id)?.stop({ why: 'lost' })
    this.#turns.set(id, turn)
    if (this.#ending) turn.stop({ why: 'release' })
    const { how, again, reason } = await turn.run().finally(() => {
      if (this.#turns.get(id) === turn) this.#turns.delete(id)
    })
    counters.countTurn(chat, how)
    if (reason !== undefined) this.#tell(setBack(chat, `its program was refused: ${reason}`))
    return again
  }

  /** Whether a chat is a part of one that has ended, or is there no more, and is forgotten with it. */
  async #isLeft(chat: ClaimedChat): Promise<boolean> {
    const whole = wholeOf(chat.id)
    if (whole === undefined || (await isOpen(this.#backend, whole))) return false
    await endPart(this.#backend, chat)
    return true
  }

  #tell(error: unknown): void {
    this.#options.counters.countError()
    this.#options.onError(error)
  }

  #every(seconds: number, act: () => Promise<void>): NodeJS.Timeout {
    let acting = false
    const once = async (): Promise<void> => {
      if (acting) return
      acting = true
      try {
        await act()
      } catch (error) {
        this.#tell(error)
      } finally {
        acting = false
      }
    }
    return setInterval(() => void once(), seconds * 1000)
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
    for (const id of await this.#backend.events.followed(ids)) this.#turns.get(id)?.follow()
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
    const { store } = this.#backend
    const expired = await store.expired(retention, BATCH + this.#needed)
    this.#needed = 0
    for (const { id } of expired) {
      const whole = wholeOf(id)
      if (whole !== undefined && (await isOpen(this.#backend, whole))) this.#needed++
      else {
        await endParts(this.#backend, id)
        await store.delete(id)
      }
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
