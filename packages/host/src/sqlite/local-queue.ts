import type { ChatKind, ChatQueue, HostBackend } from '@x/interfaces'
import { XError } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import { lockPath } from '@x/kernel/sqlite'
import type { SqliteStore } from './sqlite-store.ts'

/** Interval at which a worker polls the store for chats that have become due. */
const POLL_INTERVAL_MS = 250
/** Delay before a chat that failed in the store is run again. */
const RETRY_DELAY_MS = 250

/**
 * The queue of a file with one worker: it stores nothing, and asks the store for chats that are due when one is added, when
 * another process has changed the file, and at an interval, for those whose time has come.
 */
export class LocalQueue implements ChatQueue {
  readonly #store: SqliteStore
  readonly #watch: HostBackend['watch']
  readonly #lock: () => Disposable
  /** Wakes the worker of this process, if there is one. */
  #wake = (): void => {}

  /** `lock` excludes other workers until it is disposed of, and throws when there is one. */
  constructor(store: SqliteStore, watch: HostBackend['watch'], lock: () => Disposable) {
    this.#store = store
    this.#watch = watch
    this.#lock = lock
  }

  /** Wakes the worker of this process; one of another process notices the change of the file. */
  add(): void {
    this.#wake()
  }

  async work({ kinds, concurrency, signal, run, onError }: Parameters<ChatQueue['work']>[0]): Promise<void> {
    using _ = this.#lock()
    // There is no other worker: every chat that is marked as running has lost its worker.
    this.#store.endLeases()
    const wakeup = new WakeSignal()
    const wake = (): void => wakeup.set()
    const groups = slotGroupsOf(kinds, concurrency).map((group) => new Slots(group, { run, signal, onFree: wake }))
    // The previous worker may have died after it ended a chat and before it ended the parts of that chat.
    const parents = this.#store.parentsOfEndedParts()
    const cleanups = parents.map(async (id) => await runUntilDone(id, { run, signal }, () => retryDelay(signal)))
    // The changes of this process that make a chat due come with `add`.
    const unwatch = this.#watch((id) => id === null && wake())
    this.#wake = wake
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        try {
          for (const group of groups) group.fill(this.#store)
        } catch (error) {
          onError(error)
        }
        await wakeup.wait(POLL_INTERVAL_MS)
        // Coalesces many changes at once into one poll.
        await new Promise(setImmediate)
      }
    } finally {
      unwatch()
      this.#wake = () => {}
      signal.removeEventListener('abort', wake)
      await Promise.all([...cleanups, ...groups.map(async (group) => await group.drained())])
    }
  }
}

/** Runs a chat, and again after each failure: the store may be unavailable, and `delay` gives it time. */
async function runUntilDone(id: string, { run, signal }: ChatRunner, delay: () => Promise<void>): Promise<void> {
  do {
    try {
      return await run(id)
    } catch {
      // The worker has reported the error.
      await delay()
    }
  } while (!signal.aborted)
}

const retryDelay = async (signal: AbortSignal): Promise<void> =>
  await abortable(new Promise<void>((resolve) => setTimeout(resolve, RETRY_DELAY_MS)), signal).catch(() => {})

/** Programs that share slots, and the number of slots. */
interface SlotGroup {
  readonly kinds: readonly ChatKind[]
  readonly slots: number
}

/** Programs with a `concurrency` of their own have their own slots; all others share those of the worker. */
function slotGroupsOf(kinds: Parameters<ChatQueue['work']>[0]['kinds'], concurrency: number): readonly SlotGroup[] {
  const common = kinds.filter((kind) => kind.concurrency === undefined)
  const own = kinds.flatMap(({ concurrency: slots, ...kind }) =>
    slots === undefined ? [] : [{ kinds: [kind], slots }],
  )
  return [{ kinds: common, slots: concurrency }, ...own].filter((group) => group.kinds.length > 0)
}

/** Runs chats until its signal aborts. */
type ChatRunner = Pick<Parameters<ChatQueue['work']>[0], 'run' | 'signal'>

/** Runs the chats of a group. */
interface SlotRunner extends ChatRunner {
  /** Called when a slot becomes free, and more chats may be due. */
  readonly onFree: () => void
}

/** The slots of a group of programs: a chat holds one while it runs, and during the delay after it failed. */
class Slots {
  readonly #group: SlotGroup
  readonly #runner: SlotRunner
  readonly #taken = new Map<string, Promise<void>>()
  /** Number of slots held by chats that have failed, which the store may list as due again. */
  #failed = 0
  /** True if more chats may be due than there were free slots. */
  #mayHaveMore = false

  constructor(group: SlotGroup, runner: SlotRunner) {
    this.#group = group
    this.#runner = runner
  }

  /** Starts chats that are due, as many as there are free slots. */
  fill(store: SqliteStore): void {
    const { kinds, slots } = this.#group
    const free = slots - this.#taken.size
    this.#mayHaveMore = free === 0
    if (free === 0) return
    const found = store.due(kinds, free + this.#failed)
    const due = found.filter(({ id }) => !this.#taken.has(id))
    // A chat whose run is about to end may be due again.
    this.#mayHaveMore = found.length >= free || due.length < found.length
    for (const { id } of due.slice(0, free)) this.#taken.set(id, this.#run(id))
  }

  /** Resolves when no chat is running. */
  async drained(): Promise<void> {
    await Promise.all(this.#taken.values())
  }

  async #run(id: string): Promise<void> {
    await runUntilDone(id, this.#runner, () => this.#delay())
    this.#taken.delete(id)
    if (this.#mayHaveMore) this.#runner.onFree()
  }

  async #delay(): Promise<void> {
    this.#failed++
    await retryDelay(this.#runner.signal)
    this.#failed--
  }
}

/** Wakes one waiter. A signal that is set while nobody waits ends the next wait at once. */
class WakeSignal {
  #isSet = false
  #wake: (() => void) | undefined

  set(): void {
    this.#isSet = true
    this.#wake?.()
  }

  /** Waits until the signal is set, at most `timeoutMs`. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#wake = undefined
    this.#isSet = false
  }
}

/** Returns the lock of the one worker of a path. Chats in `:memory:` belong to this process alone. */
export function workerLock(path: string): () => Disposable {
  if (path !== ':memory:') return () => lockWorker(path)
  let isWorking = false
  return () => {
    if (isWorking)
      throw new XError('invalid-state', 'cannot work on the chats in `:memory:`: there is a worker already')
    isWorking = true
    return { [Symbol.dispose]: () => void (isWorking = false) }
  }
}

/**
 * Makes this the only worker of a file until it is disposed of or its process ends. It locks a second file by the operating
 * system, so the lock always ends with its process and also holds between containers that share the file.
 */
export function lockWorker(path: string): Disposable {
  const unlock = lockPath(`${path}-worker`, (holder, cause) => {
    const who = `another worker has them${holder === null ? '' : `, process ${holder}`}`
    const next = 'end it, or host them on Redis or Postgres for several workers'
    return new XError('invalid-state', `cannot work on the chats in \`${path}\`: ${who}; ${next}`, { cause })
  })
  return { [Symbol.dispose]: unlock }
}
