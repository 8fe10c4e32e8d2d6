import type { Job, Queue } from 'bullmq'
import { expect, it } from 'vitest'
import { BullQueue, type BullClasses } from './bullmq-queue.ts'

/** Workers without a server: the test gives them jobs by name; `close` closes each of them. */
function workersOf(close: (name: string) => Promise<void> = async () => {}): {
  classes: BullClasses
  give: (name: string, id: string, others?: readonly string[]) => Promise<void>
  isPaused: (name: string) => boolean
  fail: (error: Error) => void
} {
  const listeners: ((error: unknown) => void)[] = []
  const processors = new Map<string, (job: Job) => Promise<void>>()
  const paused = new Set<string>()
  const worker: BullClasses['worker'] = (name, process) => {
    processors.set(name, process)
    const noop = async (): Promise<void> => {}
    const on = (_: 'error', listener: (error: unknown) => void): void => void listeners.push(listener)
    return {
      pause: async () => void paused.add(name),
      resume: () => void paused.delete(name),
      ...{ on, waitUntilReady: noop, run: noop, close: () => close(name), getBackend: () => ({ moveToActive: noop }) },
    } as never
  }
  const queue = (): never => {
    throw new Error('nothing is added')
  }
  const classes = {
    queue,
    worker,
    reconnect: async () => {},
    settled: async () => {},
    requeuedError: () => new Error('requeued'),
  }
  const fail = (error: Error): void => listeners.forEach((listener) => listener(error))
  return {
    classes,
    fail,
    give: (name, id, others) => processors.get(name)!({ data: { id, others } } as Job),
    isPaused: (name) => paused.has(name),
  }
}

/** A queue without a server that records the jobs of each call. */
const recordingQueue = (added: unknown[]): Queue =>
  ({ on() {}, waitUntilReady: async () => {}, addBulk: async (jobs: unknown) => void added.push(jobs) }) as never

const queueOf = (classes: BullClasses): BullQueue =>
  new BullQueue(async () => classes, { late: async () => [], now: () => 0, timeout: 60, onError() {} })

it('leaves a chat in the queue that comes after the end of the work', async () => {
  const { classes, give } = workersOf()
  const queue = queueOf(classes)
  const stop = new AbortController()
  const runs: string[] = []
  const work = queue.work({
    kinds: [{ name: 'one', version: '1' }],
    ...{ concurrency: 1, lease: 5, signal: stop.signal, onError() {} },
    run: async (id) => void runs.push(id),
  })
  await new Promise((resolve) => setImmediate(resolve))
  await give('one@1', 'a')
  stop.abort()
  await expect(give('one@1', 'b')).rejects.toMatchObject({ code: 'aborted' })
  expect(runs).toEqual(['a'])
  await work
})

it('waits for every worker, also when another one cannot be closed', async () => {
  const late = Promise.withResolvers<void>()
  const { classes } = workersOf(async (name) => {
    if (name === 'one@1') throw new Error('the connection is lost')
    await late.promise
  })
  const queue = queueOf(classes)
  const stop = new AbortController()
  const errors: unknown[] = []
  let hasEnded = false
  const work = queue.work({
    kinds: ['one', 'two'].map((name) => ({ name, version: '1' })),
    ...{ concurrency: 1, lease: 5, signal: stop.signal, run: async () => {} },
    onError: (error) => errors.push(error),
  })
  const ended = work.then(() => (hasEnded = true))
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await expect.poll(() => errors).toMatchObject([{ message: 'the connection is lost' }])
  expect(hasEnded).toBe(false)
  late.resolve()
  await ended
})

it('fetches no faster after the abort, if jobs cannot be fetched', async () => {
  const backend = { moveToActive: async () => await Promise.reject(new Error('the server is away')) }
  const { classes } = workersOf()
  const worker: BullClasses['worker'] = (...args) =>
    Object.assign(classes.worker(...args), { getBackend: () => backend as never })
  const stop = new AbortController()
  const work = queueOf({ ...classes, worker }).work({
    kinds: [{ name: 'one', version: '1' }],
    ...{ concurrency: 1, lease: 5, signal: stop.signal, run: async () => {}, onError() {} },
  })
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  let hasFailed = false
  const fetched = backend.moveToActive().catch(() => (hasFailed = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasFailed).toBe(false)
  await fetched
  await work
})

it('reports all errors except those of a job that ended while its lock was renewed, or that another worker has', async () => {
  const { classes, fail } = workersOf()
  const queue = queueOf(classes)
  const stop = new AbortController()
  const errors: unknown[] = []
  const work = queue.work({
    kinds: [{ name: 'one', version: '1' }],
    ...{ concurrency: 1, lease: 5, signal: stop.signal, run: async () => {} },
    onError: (error) => errors.push(error),
  })
  await new Promise((resolve) => setImmediate(resolve))
  fail(new Error('could not renew lock for job YQ~0'))
  fail(new Error('Missing key for job YQ~0. moveToFinished'))
  fail(new Error('Missing lock for job YQ~0. retryJob'))
  expect(errors).toEqual([])
  const lost = new Error('the connection is lost')
  fail(lost)
  expect(errors).toEqual([lost])
  stop.abort()
  await work
})

it('runs the chats of a job as far as slots are free, enqueues the others first, and takes no further job meanwhile', async () => {
  const { classes, give, isPaused } = workersOf()
  const added: unknown[] = []
  const queue = queueOf({ ...classes, queue: () => recordingQueue(added) })
  const stop = new AbortController()
  const gates = new Map<string, () => void>()
  const work = queue.work({
    kinds: [{ name: 'one', version: '1', concurrency: 3 }],
    ...{ concurrency: 1, lease: 5, signal: stop.signal, onError() {} },
    run: async (id) => await new Promise<void>((resolve) => void gates.set(id, resolve)),
  })
  await new Promise((resolve) => setImmediate(resolve))
  const first = give('one@1', 'a', ['b', 'c', 'd', 'e'])
  await expect.poll(() => added.length).toBe(1)
  expect([[...gates.keys()], isPaused('one@1')]).toEqual([['a', 'b', 'c'], true])
  expect(added).toMatchObject([[{ data: { id: 'd' }, opts: { lifo: true } }, { data: { id: 'e' } }]])
  gates.get('b')!()
  await expect.poll(() => isPaused('one@1')).toBe(false)
  const second = give('one@1', 'f')
  await expect.poll(() => gates.size).toBe(4)
  for (const end of gates.values()) end()
  stop.abort()
  await Promise.all([first, second, work])
})

it('fails a job if one of its chats failed, after all of them were run', async () => {
  const { classes, give } = workersOf()
  const queue = queueOf(classes)
  const stop = new AbortController()
  const runs: string[] = []
  const work = queue.work({
    kinds: [{ name: 'one', version: '1', concurrency: 3 }],
    ...{ concurrency: 1, lease: 5, signal: stop.signal, onError() {} },
    async run(id) {
      runs.push(id)
      if (id === 'b') throw new Error('the store does not answer')
    },
  })
  await new Promise((resolve) => setImmediate(resolve))
  await expect(give('one@1', 'a', ['b', 'c'])).rejects.toThrow('the store does not answer')
  expect(runs.toSorted()).toEqual(['a', 'b', 'c'])
  stop.abort()
  await work
})
