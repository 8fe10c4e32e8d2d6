import type { ChatQueue, HostedChat, QueueWork } from '@x/interfaces'
import { throwIfAborted } from '@x/kernel/abort'
import type { Job, Queue, QueueBaseOptions, Worker, WorkerOptions } from 'bullmq'
import { kindName } from '../kind-name.ts'
import { Slots } from './slots.ts'

/** The classes of BullMQ for one kind of database. */
export interface BullClasses {
  readonly queue: (name: string) => Queue
  readonly worker: (
    name: string,
    process: (job: Job) => Promise<void>,
    options: Omit<WorkerOptions, keyof QueueBaseOptions>,
  ) => Worker
}

/** Enough for no chat to be given up, however often its workers die or the store does not answer. */
const OFTEN = 1_000_000
/** Milliseconds after which a turn that failed is tried again. */
const RETRY = 250

/** A queue of BullMQ for each program and version, so that workers take only chats that they can go on with. */
export class BullQueue implements ChatQueue {
  readonly #connect: () => Promise<BullClasses>
  readonly #now: () => number
  readonly #onError: (error: unknown) => void
  readonly #queues = new Map<string, Promise<Queue>>()
  readonly #workers = new Set<Worker>()
  #classes: Promise<BullClasses> | undefined

  constructor(connect: () => Promise<BullClasses>, now: () => number, onError: (error: unknown) => void) {
    this.#connect = connect
    this.#now = now
    this.#onError = onError
  }

  async add(chat: HostedChat): Promise<void> {
    const { id, turn, at } = chat
    const queue = await this.#queue(kindName(chat))
    // Only a chat that was submitted for later is delayed: the clocks of store and process may differ.
    const delay = turn === 0 && at > 0 ? Math.max(0, at - this.#now()) : 0
    const jobId = `${Buffer.from(id).toString('base64url')}~${turn}`
    const backoff = { type: 'fixed', delay: RETRY }
    const ended = { removeOnComplete: true, removeOnFail: true }
    await queue.add('turn', { id }, { jobId, attempts: OFTEN, backoff, ...ended, ...(delay > 0 && { delay }) })
  }

  async work({ kinds, concurrency, lease, signal, run, onError }: QueueWork): Promise<void> {
    if (signal.aborted) return
    const { worker } = await this.#connected()
    const common = new Slots(concurrency)
    const options = {
      lockDuration: lease * 1000,
      stalledInterval: Math.max(500, lease * 500),
      maxStalledCount: OFTEN,
      drainDelay: 1,
      runRetryDelay: 500,
      autorun: false,
    }
    const workers = kinds.map(async (kind) => {
      const most = kind.concurrency ?? concurrency
      const slots = kind.concurrency === undefined ? common : new Slots(most)
      const process = async (job: Job): Promise<void> => {
        const { id } = job.data as { id: string }
        await slots.use(async () => {
          // A job that fails stays in line: a chat that has not begun is for whoever works next.
          throwIfAborted(signal)
          await run(id)
        })
      }
      const make = (): Worker => worker(kindName(kind), process, { ...options, concurrency: most })
      const made = await readyWorker(make, signal, onError)
      if (!made) return
      this.#workers.add(made)
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
    const queues = await Promise.allSettled(this.#queues.values())
    const made = queues.flatMap((queue) => (queue.status === 'fulfilled' ? [queue.value] : []))
    await Promise.all(made.map((queue) => queue.close()))
    this.#queues.clear()
  }

  #queue(name: string): Promise<Queue> {
    const known = this.#queues.get(name)
    if (known) return known
    const made = this.#readyQueue(name).catch((error: unknown) => {
      // The next chat tries again.
      this.#queues.delete(name)
      throw error
    })
    this.#queues.set(name, made)
    return made
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
      await new Promise((resolve) => setTimeout(resolve, RETRY))
    }
  }
  return undefined
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
