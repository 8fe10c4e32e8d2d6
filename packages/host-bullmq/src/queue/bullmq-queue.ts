import type { ChatQueue, HostedChat, QueueWork } from '@x/interfaces'
import { throwIfAborted } from '@x/kernel/abort'
import type { Job, Queue, QueueBaseOptions, Worker, WorkerOptions } from 'bullmq'
import { GroupedCalls } from '../grouped-calls.ts'
import { kindName } from '../kind-name.ts'
import { jobsOf, OFTEN, type AddedChat, type JobData } from './chat-jobs.ts'
import { Places } from './places.ts'

/** The classes of BullMQ for one kind of database. */
export interface BullClasses {
  readonly queue: (name: string) => Queue
  readonly worker: (
    name: string,
    process: (job: Job, token?: string) => Promise<void>,
    options: Omit<WorkerOptions, keyof QueueBaseOptions>,
  ) => Worker
  /** Makes the error of a job that was put back into its queue. */
  readonly putBack: () => Error
}

/** Events of the queue that it keeps, as BullMQ does by default ten thousand: nobody reads them. */
export const KEPT_EVENTS = 100

/** Milliseconds after which a turn that failed, or a connection, is tried again. */
const RETRY = 250

/** Milliseconds for which the end of a job waits, while there are free places: what others wait for goes first. */
const LEISURE = 25

/** Calls under way at once with which chats are put in line, and most chats in one of them. */
const ADDS = { lanes: 2, most: 200 }

/** Where chats of one kind are put in line: those that come at once go together, and wake the workers once. */
interface Line {
  readonly queue: Queue
  readonly chats: GroupedCalls<AddedChat, unknown>
}

/** A queue of BullMQ for each program and version, so that workers take only chats that they can go on with. */
export class BullQueue implements ChatQueue {
  readonly #connect: () => Promise<BullClasses>
  readonly #now: () => number
  readonly #onError: (error: unknown) => void
  readonly #lines = new Map<string, Promise<Line>>()
  readonly #workers = new Set<Worker>()
  #classes: Promise<BullClasses> | undefined

  constructor(connect: () => Promise<BullClasses>, now: () => number, onError: (error: unknown) => void) {
    this.#connect = connect
    this.#now = now
    this.#onError = onError
  }

  async add(chat: HostedChat, whole?: string): Promise<void> {
    const { id, turn, at } = chat
    const { chats } = await this.#line(kindName(chat))
    // Only a chat that was submitted for later is delayed, by the clocks of processes: it comes again when it is due by that
    // of the store, and then it is another job.
    const delay = turn === 0 && at > 0 ? Math.max(0, at - this.#now()) : 0
    await chats.add({ id, turn, delay, whole })
  }

  async work({ kinds, concurrency, lease, signal, run, onError }: QueueWork): Promise<void> {
    if (signal.aborted) return
    const { worker, putBack } = await this.#connected()
    const common = new Places(concurrency)
    const tell = (error: unknown): void => void (isOfConcern(error) && onError(error))
    const options = {
      lockDuration: lease * 1000,
      // One time that fails ends no lock.
      lockRenewTime: lease * 250,
      stalledInterval: Math.max(500, lease * 500),
      maxStalledCount: OFTEN,
      drainDelay: 1,
      runRetryDelay: 500,
      autorun: false,
    }
    const workers = kinds.map(async (kind) => {
      const places = kind.concurrency === undefined ? common : new Places(kind.concurrency)
      const putFirst = async (id: string): Promise<void> => {
        const { chats } = await this.#line(kindName(kind))
        await chats.add({ id, turn: 0, delay: 0, isFirst: true })
      }
      const once = async (job: Job): Promise<void> => {
        // A job that fails stays in line: a chat that has not begun is for whoever works next.
        throwIfAborted(signal)
        try {
          await runAll(job.data as JobData, { places, run, putFirst })
          if (places.hasFree) await pause(LEISURE, signal)
        } catch (error) {
          // Not by a delay of the job, which would be counted by the clocks of processes.
          await pause(RETRY, signal)
          throw error
        }
      }
      const process = async (job: Job, token?: string): Promise<void> => {
        if (await places.use(async () => await once(job))) return
        await job.moveToWait(token)
        throw putBack()
      }
      const make = (): Worker =>
        worker(kindName(kind), process, { ...options, concurrency: kind.concurrency ?? concurrency })
      const made = await readyWorker(make, signal, tell)
      if (!made) return
      this.#workers.add(made)
      places.add(made)
      // It resolves when the worker is closed.
      made.run().catch(onError)
      if (!signal.aborted) await aborted(signal)
      // It waits for the chats under way; those of the others are waited for, too.
      await made.close().catch(onError)
      this.#workers.delete(made)
    })
    await Promise.all(workers)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.close(true)))
    const lines = await Promise.allSettled(this.#lines.values())
    const made = lines.flatMap((line) => (line.status === 'fulfilled' ? [line.value] : []))
    await Promise.all(made.map(({ queue }) => queue.close()))
    this.#lines.clear()
  }

  #line(name: string): Promise<Line> {
    const known = this.#lines.get(name)
    if (known) return known
    const made = this.#readyLine(name).catch((error: unknown) => {
      // The next chat tries again.
      this.#lines.delete(name)
      throw error
    })
    this.#lines.set(name, made)
    return made
  }

  async #readyLine(name: string): Promise<Line> {
    const queue = await this.#readyQueue(name)
    const add = async (chats: readonly AddedChat[]): Promise<readonly unknown[]> => {
      await queue.addBulk(jobsOf(chats))
      return chats
    }
    return { queue, chats: new GroupedCalls(add, ADDS) }
  }

  async #readyQueue(name: string): Promise<Queue> {
    const { queue } = await this.#connected()
    const made = queue(name)
    made.on('error', this.#onError)
    try {
      await made.waitUntilReady()
      return made
    } catch (error) {
      made.close().catch(this.#onError)
      throw error
    }
  }

  #connected(): Promise<BullClasses> {
    this.#classes ??= this.#connect()
    return this.#classes
  }
}

/** Means by which the chats of a job are run. */
interface ChatRunner {
  readonly places: Places
  readonly run: QueueWork['run']
  /** Puts a chat in line before all others. */
  readonly putFirst: (id: string) => Promise<void>
}

/** Runs the chats of a job: its own, and the others as far as there are places here. Fails, behind all, where one does. */
async function runAll({ id, others = [] }: JobData, { places, run, putFirst }: ChatRunner): Promise<void> {
  const runExtra = async (other: string): Promise<void> => {
    const isRun = await places.use(async () => await run(other), true)
    if (!isRun) await putFirst(other)
  }
  const all = await Promise.allSettled([run(id), ...others.map(runExtra)])
  for (const each of all) if (each.status === 'rejected') throw each.reason
}

/**
 * Whether somebody should hear of an error of BullMQ: not of a job that ended while its lock was prolonged, nor of two of its
 * statements about many jobs that waited for each other on Postgres. It does both again, and the store decides who has a chat.
 */
const isOfConcern = (error: unknown): boolean =>
  !(
    error instanceof Error &&
    (/^could not renew lock/iu.test(error.message) || (error as { code?: unknown }).code === '40P01')
  )

/** Makes a worker until one is connected: one whose first connection failed would stay without. Undefined after the signal. */
async function readyWorker(
  make: () => Worker,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<Worker | undefined> {
  while (!signal.aborted) {
    const made = make()
    made.on('error', onError)
    try {
      await Promise.race([made.waitUntilReady(), aborted(signal)])
      return made
    } catch (error) {
      onError(error)
      made.close(true).catch(onError)
      await pause(RETRY, signal)
    }
  }
  return undefined
}

/** Waits; an abort ends the waiting. */
const pause = async (ms: number, signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
