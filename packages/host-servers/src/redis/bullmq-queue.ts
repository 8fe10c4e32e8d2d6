import type { ChatKind, ChatQueue, HostedChat } from '@x/interfaces'
import { throwIfAborted } from '@x/kernel/abort'
import type { Job, Queue, QueueBaseOptions, Worker, WorkerOptions } from 'bullmq'
import { CallBatcher } from '../call-batcher.ts'
import { answeredWithin } from '../pending-calls.ts'
import { kindName } from '../stored-text.ts'
import { aborted, pause, startTimeOf } from '../waits.ts'
import { jobsOf, leftJobsOf, MAX_ATTEMPTS, turnIdOf, type JobData, type QueuedChat } from './chat-jobs.ts'
import { Slots } from './slots.ts'

type QueueWork = Parameters<ChatQueue['work']>[0]

/** The classes of BullMQ. When `ended` aborts, a connection that is lost is not made again. */
export interface BullClasses {
  readonly queue: (name: string, ended: AbortSignal) => Queue
  readonly worker: (
    name: string,
    process: (job: Job, token?: string) => Promise<void>,
    options: Omit<WorkerOptions, keyof QueueBaseOptions>,
    ended: AbortSignal,
  ) => Worker
  /** Makes the connections of a queue or worker again. */
  readonly reconnect: (owner: Queue | Worker) => Promise<void>
  /** Resolves when the connections of a queue or worker are open or have ended: BullMQ does not come to an end of closing others. */
  readonly settled: (owner: Queue | Worker) => Promise<void>
  /** Makes the error by which a processor says that it has put the job back into its queue. */
  readonly requeuedError: () => Error
}

/** Most events that a queue keeps, since nobody reads them. The default of BullMQ is ten thousand. */
export const MAX_QUEUE_EVENTS = 100

/** Delay before a turn or connection that failed is retried. */
const RETRY_DELAY_MS = 250

/** Interval at which a worker adds chats whose time has come by the clock of the store. */
const LATE_INTERVAL_MS = 500

/** Delay before a job ends while slots are free: statements of running chats go to the database first. */
const JOB_END_DELAY_MS = 25

/** Bounds of the calls that add jobs. */
const ADD_BATCHES = { maxInFlight: 2, maxItems: 200 }

/** The queue of one program and version. Chats that are added at once share a call, which wakes the workers once. */
interface KindQueue {
  readonly queue: Queue
  readonly adds: CallBatcher<QueuedChat, unknown>
}

/** Options of a {@link BullQueue}. */
interface BullQueueOptions {
  /** Returns chats whose time has come by the clock of the store, and that nobody has claimed. */
  readonly late: (kinds: readonly ChatKind[]) => Promise<readonly HostedChat[]>
  readonly now: () => number
  /** Seconds within which a queue has to be open. */
  readonly timeout: number
  readonly onError: (error: unknown) => void
}

/** A queue of BullMQ for each program and version, so that workers get only chats that they can run. */
export class BullQueue implements ChatQueue {
  readonly #connect: () => Promise<BullClasses>
  readonly #options: BullQueueOptions
  readonly #queues = new Map<string, Promise<KindQueue>>()
  readonly #workers = new Set<Worker>()
  readonly #ending = new AbortController()
  #classes: Promise<BullClasses> | undefined

  constructor(connect: () => Promise<BullClasses>, options: BullQueueOptions) {
    this.#connect = connect
    this.#options = options
  }

  async add(chat: HostedChat, parent?: string): Promise<void> {
    const { id, turn, priority } = chat
    const { adds } = await this.#queueOf(chat)
    // A chat that was submitted for later, sleeps or waits to retry, is delayed by the clocks of processes. One that is late by
    // the clock of the store is added again without a delay, which makes another job.
    const delay = Math.max(0, startTimeOf(chat) - this.#options.now())
    await adds.add({ id, turn, delay, parent, priority })
  }

  /** Removes the job for a later time that a chat may have, which has been cancelled. One that stays costs memory alone. */
  async forget(chat: HostedChat): Promise<void> {
    try {
      const { queue } = await this.#queueOf(chat)
      await queue.remove(turnIdOf(chat.id, chat.turn, true))
    } catch {
      // Its worker will find that the chat has ended.
    }
  }

  async work(work: QueueWork): Promise<void> {
    const { kinds, concurrency, signal } = work
    if (signal.aborted) return
    const classes = await this.#connected()
    const common = new Slots(concurrency)
    const workers = kinds.map(async (kind) => {
      const slots = kind.concurrency === undefined ? common : new Slots(kind.concurrency)
      await this.#workOn(kind, slots, classes, work)
    })
    let adding: Promise<void> | undefined
    const timer = setInterval(() => {
      if (!signal.aborted) adding ??= this.#addLate(kinds).finally(() => (adding = undefined))
    }, LATE_INTERVAL_MS)
    try {
      await Promise.all(workers)
    } finally {
      clearInterval(timer)
      await adding
    }
  }

  /** Adds chats that the clocks of processes would delay for longer, as they are behind that of the store. */
  async #addLate(kinds: readonly ChatKind[]): Promise<void> {
    try {
      const chats = await this.#options.late(kinds)
      await Promise.all(chats.map((chat) => this.add({ ...chat, at: 0, wakesAt: null, retry: null })))
    } catch {
      // It is tried again; the renewals tell of a server that does not answer.
    }
  }

  /** Begins to make all open connections again; the others are still being made. */
  reconnect(): void {
    const queues = [...this.#queues.values()].map(async (opening) => (await opening).queue)
    for (const owner of [...queues, ...this.#workers]) this.#reconnect(owner).catch(this.#options.onError)
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.all([...this.#workers].map((worker) => worker.close(true)))
    const opened = await Promise.allSettled(this.#queues.values())
    const queues = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value.queue] : []))
    await Promise.all(queues.map((queue) => this.#close(queue)))
    this.#queues.clear()
  }

  async #close(owner: Queue | Worker): Promise<void> {
    const { settled } = await this.#connected()
    await settled(owner)
    await owner.close()
  }

  /** Runs the chats of one program until the signal aborts. */
  async #workOn(
    kind: QueueWork['kinds'][number],
    slots: Slots,
    { worker, requeuedError }: BullClasses,
    work: QueueWork,
  ): Promise<void> {
    const { concurrency, lease, signal, onError } = work
    const process = async (job: Job, token?: string): Promise<void> => {
      if (await slots.use(async () => await this.#runJob(job, kind, slots, work))) return
      await job.moveToWait(token)
      throw requeuedError()
    }
    const options = {
      concurrency: kind.concurrency ?? concurrency,
      lockDuration: lease * 1000,
      // Four renewals in a lock's duration, so that one that fails does not lose the lock.
      lockRenewTime: lease * 250,
      stalledInterval: Math.max(500, lease * 500),
      maxStalledCount: MAX_ATTEMPTS,
      drainDelay: 1,
      runRetryDelay: 500,
      autorun: false,
    }
    const onWorkerError = (error: unknown): void => void (isReported(error) && onError(error))
    const make = (): Worker => pacedWorker(worker(kindName(kind), process, options, signal))
    const started = await startWorker(make, signal, onWorkerError)
    if (!started) return
    this.#workers.add(started)
    slots.add(started)
    // `run` resolves when the worker is closed.
    started.run().catch(onError)
    await aborted(signal)
    // It waits for the running chats. A failure must not keep `work` from waiting for the other workers.
    await this.#close(started).catch(onError)
    this.#workers.delete(started)
  }

  /** Runs the chats of a job. A job that fails stays in the queue. */
  async #runJob(job: Job, kind: ChatKind, slots: Slots, { run, signal }: QueueWork): Promise<void> {
    // After the abort, a chat that has not begun is left to the next worker.
    throwIfAborted(signal)
    const enqueueFirst = async (id: string): Promise<void> => {
      const { adds } = await this.#queueOf(kind)
      await adds.add({ id, turn: 0, delay: 0, isFirst: true })
    }
    try {
      await runAll(job.data as JobData, { slots, run, enqueueFirst })
      if (slots.hasFree) await pause(JOB_END_DELAY_MS, signal)
    } catch (error) {
      // Waits here, because BullMQ would count the delay of a job by the clocks of processes.
      await pause(RETRY_DELAY_MS, signal)
      throw error
    }
  }

  #queueOf(kind: ChatKind): Promise<KindQueue> {
    const name = kindName(kind)
    const known = this.#queues.get(name)
    if (known) return known
    const opening = this.#openKindQueue(name).catch((error: unknown) => {
      // The next chat tries again.
      this.#queues.delete(name)
      throw error
    })
    this.#queues.set(name, opening)
    return opening
  }

  async #openKindQueue(name: string): Promise<KindQueue> {
    const queue = await this.#openQueue(name)
    const addAll = async (chats: readonly QueuedChat[]): Promise<readonly unknown[]> => {
      // A job that stays costs memory until its time, and nothing else.
      const left = leftJobsOf(chats).map(async (job) => await queue.remove(job).catch(() => {}))
      await Promise.all([queue.addBulk(jobsOf(chats)), ...left])
      return chats
    }
    return { queue, adds: new CallBatcher(addAll, ADD_BATCHES) }
  }

  async #openQueue(name: string): Promise<Queue> {
    const classes = await this.#connected()
    const { timeout, onError } = this.#options
    const queue = classes.queue(name, this.#ending.signal)
    queue.on('error', onError)
    try {
      await answeredWithin(timeout, queue.waitUntilReady())
      return queue
    } catch (error) {
      queue.close().catch(onError)
      throw error
    }
  }

  async #reconnect(owner: Worker | Promise<Queue>): Promise<void> {
    const { reconnect } = await this.#connected()
    await reconnect(await owner)
  }

  #connected(): Promise<BullClasses> {
    this.#classes ??= this.#connect()
    return this.#classes
  }
}

/** Runs the chats of a job. */
interface JobRunner {
  readonly slots: Slots
  readonly run: QueueWork['run']
  /** Enqueues a chat before all others. */
  readonly enqueueFirst: (id: string) => Promise<void>
}

/** Runs the first chat of a job, and the others as far as slots are free; the rest is enqueued first. Fails, after all have ended, if one failed. */
async function runAll({ id, others = [] }: JobData, { slots, run, enqueueFirst }: JobRunner): Promise<void> {
  const runExtra = async (other: string): Promise<void> => {
    const isRun = await slots.use(async () => await run(other), true)
    if (!isRun) await enqueueFirst(other)
  }
  const results = await Promise.allSettled([run(id), ...others.map(runExtra)])
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/**
 * False for an error of BullMQ that needs no attention: a job ended while its lock was renewed, or another worker has taken it
 * from one that was paused. The store decides which worker has a chat.
 */
const isReported = (error: unknown): boolean => !(error instanceof Error && LOST_JOB.test(error.message))

const LOST_JOB = /^(?:could not renew lock|missing (?:key|lock) for job|lock mismatch for job)/iu

/**
 * Delays the failures of a worker that fetches jobs. BullMQ fetches again at once, which for a full or demoted server is
 * thousands of times a second, and lets nothing else of the process run where the failure needs no server.
 */
function pacedWorker(worker: Worker): Worker {
  const backend = worker.getBackend()
  const fetch = backend.moveToActive.bind(backend)
  backend.moveToActive = async (...args) => {
    try {
      return await fetch(...args)
    } catch (error) {
      // Also after the abort: the worker fetches until it is closed.
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
      throw error
    }
  }
  return worker
}

/**
 * Makes workers until one has connected, because a worker whose first connection fails never connects. Returns undefined
 * after the abort.
 */
async function startWorker(
  make: () => Worker,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<Worker | undefined> {
  while (!signal.aborted) {
    const worker = make()
    worker.on('error', onError)
    try {
      await Promise.race([worker.waitUntilReady(), aborted(signal)])
      return worker
    } catch (error) {
      onError(error)
      worker.close(true).catch(onError)
      await pause(RETRY_DELAY_MS, signal)
    }
  }
  return undefined
}
