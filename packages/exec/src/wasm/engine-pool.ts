import type { Artifact } from '@x/interfaces'
import { watchThread, type WatchThread } from '../backend/watch-thread.ts'
import { failed, type Watch } from '../run/job.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import type { EngineOutcome, EngineProcess } from './engine-process.ts'

/**
 * Processes of one executor that run its blocks, started when they are needed. One that ran a block well waits for the
 * next; every other one is ended. With `second`, blocks that follow each other closely are run by two in turn, so that
 * the one gets its next interpreter ready while the other runs code.
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

  /** Really starts a process, which then waits; gives why it does not start, or null. */
  async fault(timeout: number): Promise<string | null> {
    const engine = await this.#take(timeout)
    this.#busy.delete(engine)
    if (engine.dead) return engine.fault ?? engine.ended ?? 'it takes too long'
    this.#keep(engine)
    return null
  }

  /** Runs a block in a process that runs no other. */
  async run(input: readonly Uint8Array[], limits: ExecutionLimits, watch: Watch): Promise<EngineOutcome> {
    for (;;) {
      if (watch.signal?.aborted) return { ...failed('exit', '', 137), said: null, begun: false, sound: true }
      const fresh = this.#waiting.size === 0
      const engine = await this.#take(limits.timeout, watch.signal)
      const outcome = await engine.run(input, limits, { ...watch, watcher: this.#watcher })
      if (outcome.sound) this.#keep(engine)
      else await engine.end()
      this.#busy.delete(engine)
      // What an earlier block left ended the process: this one's code has not begun.
      const again = !outcome.begun && !fresh && outcome.reason === 'exit' && watch.signal?.aborted !== true
      if (!again) return outcome
    }
  }

  /** Lists a directory in another thread. */
  async list(directory: string): Promise<Artifact[]> {
    return await this.#watcher.list(directory)
  }

  /** Ends all processes; resolves when they are gone. */
  async close(): Promise<void> {
    const all = [...this.#waiting, ...this.#busy]
    for (const engine of this.#waiting) wake(engine)
    this.#waiting.clear()
    await Promise.all(all.map((engine) => engine.end()))
    await this.#watcher.close()
  }

  /** Returns a process that is ready, or else the first that will be; one that is dead when it does not start. */
  async #take(timeout: number, signal?: AbortSignal): Promise<EngineProcess> {
    for (;;) {
      for (const waiting of this.#waiting) {
        if (!waiting.dead && waiting.timeout < timeout) waiting.kill()
        if (waiting.dead) this.#waiting.delete(waiting)
      }
      const engine = [...this.#waiting].find(({ ready }) => ready)
      if (engine) return this.#use(engine)
      if (this.#waiting.size === 0) {
        const fresh = this.#start(timeout)
        this.#busy.add(fresh)
        // Stopped meanwhile, nobody has a use for it.
        const stop = (): void => fresh.kill()
        signal?.addEventListener('abort', stop)
        await fresh.settled()
        signal?.removeEventListener('abort', stop)
        return fresh
      }
      if (this.#second && this.#waiting.size + this.#busy.size < 2) this.#keep(this.#start(timeout))
      await awaited([...this.#waiting].map((waiting) => waiting.settled()))
      if (signal?.aborted) return this.#use([...this.#waiting][0] ?? this.#start(timeout))
    }
  }

  #use(engine: EngineProcess): EngineProcess {
    this.#waiting.delete(engine)
    wake(engine)
    this.#busy.add(engine)
    return engine
  }

  #keep(engine: EngineProcess): void {
    this.#waiting.add(engine)
    rest(engine)
  }
}

/** Waits for the first of some; the program does not end meanwhile. */
async function awaited(promises: readonly Promise<void>[]): Promise<void> {
  const alive = setInterval(() => {}, 1_000_000)
  try {
    await Promise.race(promises)
  } finally {
    clearInterval(alive)
  }
}

const BYTES_PER_MIB = 2 ** 20

/** Processes of all executors that may wait for blocks at once. */
const MAX_IDLE_PROCESSES = 4

/** Bytes that they may hold together, as far as that is known. */
const MAX_IDLE_BYTES = 1024 * BYTES_PER_MIB

/** Bytes that one may hold. */
const MAX_IDLE_PROCESS_BYTES = 512 * BYTES_PER_MIB

/** Seconds that one waits. */
const IDLE_TIMEOUT_S = 120

/** Processes that wait, the one that waits longest first. */
const idle = new Map<EngineProcess, NodeJS.Timeout>()

/** Lets a process wait for its next block, as long as there are few: others, which wait longer, are ended for it. */
export function rest(engine: EngineProcess): void {
  if (engine.dead) return
  if (engine.bytes > MAX_IDLE_PROCESS_BYTES) return engine.kill()
  engine.hold(false)
  const leave = setTimeout(() => {
    wake(engine)
    engine.kill()
  }, IDLE_TIMEOUT_S * 1000)
  leave.unref()
  idle.set(engine, leave)
  void engine.whenGone().then(() => wake(engine))
  let bytes = 0
  for (const other of idle.keys()) bytes += other.bytes
  for (const other of idle.keys()) {
    if (idle.size <= MAX_IDLE_PROCESSES && bytes <= MAX_IDLE_BYTES) break
    bytes -= other.bytes
    wake(other)
    other.kill()
  }
}

/** Takes a process that waits back. */
export function wake(engine: EngineProcess): void {
  clearTimeout(idle.get(engine))
  idle.delete(engine)
  engine.hold(true)
}
