import type { Artifact } from '@x/interfaces'
import { watchThread, type WatchThread } from '../backend/watch.ts'
import { failedOutcome, type Watch } from '../run/job.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import type { EngineOutcome, EngineProcess } from './engine-process.ts'

/**
 * Processes that run the blocks of one executor, started on demand. A process waits for the next block if it is reusable, and
 * is ended otherwise. With `second`, two processes take turns when blocks follow each other closely, so that one prepares its
 * next interpreter while the other runs code.
 */
export class EnginePool {
  readonly #start: (timeout: number) => EngineProcess
  readonly #second: boolean
  readonly #watcher: WatchThread = watchThread()
  readonly #waiting: Set<EngineProcess> = new Set()
  readonly #busy: Set<EngineProcess> = new Set()

  constructor(start: (timeout: number) => EngineProcess, { second = false }: { second?: boolean } = {}) {
    this.#start = start
    this.#second = second
  }

  /** Really starts a process, which then waits for blocks; returns why it does not start, or null. */
  async fault(timeout: number): Promise<string | null> {
    const engine = await this.#take(timeout)
    this.#busy.delete(engine)
    if (engine.isDead) return engine.fault ?? engine.endedBy ?? 'it takes too long'
    this.#keep(engine)
    return null
  }

  /** Runs a block in a process that runs no other block at that time. */
  async run(input: readonly Uint8Array[], limits: ExecutionLimits, watch: Watch): Promise<EngineOutcome> {
    for (;;) {
      if (watch.signal?.aborted)
        return { ...failedOutcome('exit', '', 137), frames: null, hasBegun: false, isReusable: true }
      const fresh = this.#waiting.size === 0
      const engine = await this.#take(limits.timeout, watch.signal)
      const outcome = await engine.run(input, limits, { ...watch, watcher: this.#watcher })
      if (outcome.isReusable) this.#keep(engine)
      else await engine.end()
      this.#busy.delete(engine)
      // The remains of an earlier block ended the process before the code of this block began.
      const shouldRetry = !outcome.hasBegun && !fresh && outcome.reason === 'exit' && watch.signal?.aborted !== true
      if (!shouldRetry) return outcome
    }
  }

  /** Lists a directory in another thread. */
  async list(directory: string): Promise<Artifact[]> {
    return await this.#watcher.list(directory)
  }

  /** Ends all processes and waits for their end. */
  async close(): Promise<void> {
    const all = [...this.#waiting, ...this.#busy]
    for (const engine of this.#waiting) removeIdle(engine)
    this.#waiting.clear()
    await Promise.all(all.map((engine) => engine.end()))
    await this.#watcher.close()
  }

  /** Returns a ready process, or else the first that gets ready. If a new process fails to start, returns it dead. */
  async #take(timeout: number, signal?: AbortSignal): Promise<EngineProcess> {
    for (;;) {
      for (const waiting of this.#waiting) {
        if (!waiting.isDead && waiting.timeout < timeout) waiting.kill()
        if (waiting.isDead) this.#waiting.delete(waiting)
      }
      const engine = [...this.#waiting].find(({ isReady }) => isReady)
      if (engine) return this.#use(engine)
      if (this.#waiting.size === 0) {
        const fresh = this.#start(timeout)
        this.#busy.add(fresh)
        // If the block is stopped meanwhile, the process is not needed.
        const stop = (): void => fresh.kill()
        signal?.addEventListener('abort', stop)
        await fresh.whenReadyOrGone()
        signal?.removeEventListener('abort', stop)
        return fresh
      }
      if (this.#second && this.#waiting.size + this.#busy.size < 2) this.#keep(this.#start(timeout))
      await waitForFirst([...this.#waiting].map((waiting) => waiting.whenReadyOrGone()))
      if (signal?.aborted) return this.#use([...this.#waiting][0] ?? this.#start(timeout))
    }
  }

  #use(engine: EngineProcess): EngineProcess {
    this.#waiting.delete(engine)
    removeIdle(engine)
    this.#busy.add(engine)
    return engine
  }

  #keep(engine: EngineProcess): void {
    this.#waiting.add(engine)
    addIdle(engine)
  }
}

/** Waits for the first of several promises, and keeps the program running meanwhile. */
async function waitForFirst(promises: readonly Promise<void>[]): Promise<void> {
  const keepAlive = setInterval(() => {}, 1_000_000)
  try {
    await Promise.race(promises)
  } finally {
    clearInterval(keepAlive)
  }
}

const BYTES_PER_MIB = 2 ** 20

/** Processes of all executors that may wait for blocks at once. */
const MAX_IDLE_PROCESSES = 4

/** Bytes that all waiting processes may hold together, as far as known. */
const MAX_IDLE_BYTES = 1024 * BYTES_PER_MIB

/** Bytes that one waiting process may hold. */
const MAX_IDLE_PROCESS_BYTES = 512 * BYTES_PER_MIB

/** Seconds that a process waits for a block. */
const IDLE_TIMEOUT_S = 120

/** Waiting processes, the longest waiting first. */
const idleEngines = new Map<EngineProcess, NodeJS.Timeout>()

/** Adds a process to the waiting ones; ends those that wait longest if there are too many. */
function addIdle(engine: EngineProcess): void {
  if (engine.isDead) return
  if (engine.heldBytes > MAX_IDLE_PROCESS_BYTES) return engine.kill()
  engine.setRef(false)
  const timer = setTimeout(() => {
    removeIdle(engine)
    engine.kill()
  }, IDLE_TIMEOUT_S * 1000)
  timer.unref()
  idleEngines.set(engine, timer)
  void engine.whenGone().then(() => removeIdle(engine))
  let bytes = 0
  for (const other of idleEngines.keys()) bytes += other.heldBytes
  for (const other of idleEngines.keys()) {
    if (idleEngines.size <= MAX_IDLE_PROCESSES && bytes <= MAX_IDLE_BYTES) break
    bytes -= other.heldBytes
    removeIdle(other)
    other.kill()
  }
}

/** Removes a process from the waiting ones. */
function removeIdle(engine: EngineProcess): void {
  clearTimeout(idleEngines.get(engine))
  idleEngines.delete(engine)
  engine.setRef(true)
}
