import type { ChatKind, ChatQueue, QueueKind, QueueWork } from '@x/interfaces'
import { abortable } from '@x/kernel/abort'
import { Alarm } from './alarm.ts'
import type { SqliteStore } from './sqlite-store.ts'

/** Milliseconds after which a worker looks for chats whose time has come. */
const POLL = 250
/** Milliseconds after which a chat whose turn failed is run again. */
const RETRY = 250

/** A queue that is nothing but the chats of a store that are due: for the one worker of a file. */
export class LocalQueue implements ChatQueue {
  readonly #store: SqliteStore
  readonly #watch: (listener: () => void) => () => void
  readonly #lock: () => Disposable

  /** `lock` keeps every other worker away until what it gives is disposed of; it fails where there is one. */
  constructor(store: SqliteStore, watch: (listener: () => void) => () => void, lock: () => Disposable) {
    this.#store = store
    this.#watch = watch
    this.#lock = lock
  }

  /** Does nothing: the store has the chat, and tells those that watch it. */
  add(): void {}

  async work({ kinds, concurrency, signal, run, onError }: QueueWork): Promise<void> {
    using _ = this.#lock()
    // Nobody else works: what still runs has lost its worker.
    this.#store.endLeases()
    const alarm = new Alarm()
    const wake = (): void => alarm.ring()
    const groups = groupsOf(kinds, concurrency).map((group) => new Places(group, { run, signal, onFree: wake }))
    // The worker before may have died between the end of a chat and those of its parts.
    const wholes = this.#store.wholesOfEndedParts()
    const left = wholes.map(async (id) => await untilRun(id, { run, signal }, () => moment(signal)))
    const unwatch = this.#watch(wake)
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        try {
          for (const group of groups) group.fill(this.#store)
        } catch (error) {
          onError(error)
        }
        await alarm.wait(POLL)
        // Of many changes at once the last is looked at, and not each.
        await new Promise(setImmediate)
      }
    } finally {
      unwatch()
      signal.removeEventListener('abort', wake)
      await Promise.all([...left, ...groups.map(async (group) => await group.emptied())])
    }
  }
}

/** Runs a chat, once more whenever that has failed: the store may be out of order, and is given a moment by `rest`. */
async function untilRun(id: string, { run, signal }: QueueRun, rest: () => Promise<void>): Promise<void> {
  do {
    try {
      return await run(id)
    } catch {
      // The worker has told of it.
      await rest()
    }
  } while (!signal.aborted)
}

const moment = async (signal: AbortSignal): Promise<void> =>
  await abortable(new Promise<void>((resolve) => setTimeout(resolve, RETRY)), signal).catch(() => {})

/** Programs whose chats count together, and most of them at once. */
interface Group {
  readonly kinds: readonly ChatKind[]
  readonly most: number
}

/** Programs with a number of their own stand alone. */
function groupsOf(kinds: readonly QueueKind[], concurrency: number): readonly Group[] {
  const common = kinds.filter((kind) => kind.concurrency === undefined)
  const own = kinds.flatMap(({ concurrency: most, ...kind }) => (most === undefined ? [] : [{ kinds: [kind], most }]))
  return [{ kinds: common, most: concurrency }, ...own].filter((group) => group.kinds.length > 0)
}

/** How chats are run. */
type QueueRun = Pick<QueueWork, 'run' | 'signal'>

/** How the chats of a group are run. */
interface Running extends QueueRun {
  /** Hears that a place is free again. */
  readonly onFree: () => void
}

/** The places of a group of programs: a chat holds one while it runs, and for a moment after it has failed. */
class Places {
  readonly #group: Group
  readonly #running: Running
  readonly #taken = new Map<string, Promise<void>>()
  /** How many of those that are taken belong to chats that have failed, which the store may list again. */
  #failed = 0

  constructor(group: Group, running: Running) {
    this.#group = group
    this.#running = running
  }

  /** Takes up chats that are due, as many as there are places. */
  fill(store: SqliteStore): void {
    const { kinds, most } = this.#group
    const free = most - this.#taken.size
    if (free === 0) return
    const due = store.due(kinds, free + this.#failed).filter(({ id }) => !this.#taken.has(id))
    for (const { id } of due.slice(0, free)) this.#taken.set(id, this.#take(id))
  }

  /** Resolves when no chat is under way. */
  async emptied(): Promise<void> {
    await Promise.all(this.#taken.values())
  }

  async #take(id: string): Promise<void> {
    await untilRun(id, this.#running, () => this.#rest())
    this.#taken.delete(id)
    this.#running.onFree()
  }

  async #rest(): Promise<void> {
    this.#failed++
    await moment(this.#running.signal)
    this.#failed--
  }
}
