import type { Job, Queue } from 'bullmq'
import { expect, it } from 'vitest'
import { BullQueue, type BullClasses } from './bullmq-queue.ts'

/** Workers without a server: jobs are given to them by name; `close` ends each of them. */
function workersOf(close: (name: string) => Promise<void> = async () => {}): {
  classes: BullClasses
  give: (name: string, id: string, others?: readonly string[]) => Promise<void>
  isPaused: (name: string) => boolean
  fail: (error: Error) => void
} {
  const tells: ((error: unknown) => void)[] = []
  const takes = new Map<string, (job: Job) => Promise<void>>()
  const paused = new Set<string>()
  const worker: BullClasses['worker'] = (name, process) => {
    takes.set(name, process)
    const nothing = async (): Promise<void> => {}
    const on = (_: 'error', tell: (error: unknown) => void): void => void tells.push(tell)
    return {
      pause: async () => void paused.add(name),
      resume: () => void paused.delete(name),
      ...{ on, waitUntilReady: nothing, run: nothing, close: () => close(name) },
    } as never
  }
  const queue = (): never => {
    throw new Error('nothing is added')
  }
  const classes = { queue, worker, putBack: () => new Error('put back') }
  const fail = (error: Error): void => tells.forEach((tell) => tell(error))
  return {
    classes,
    fail,
    give: (name, id, others) => takes.get(name)!({ data: { id, others } } as Job),
    isPaused: (name) => paused.has(name),
  }
}

/** A queue without a server that notes what is added, call by call. */
const lineOf = (added: unknown[]): Queue =>
  ({ on() {}, waitUntilReady: async () => {}, addBulk: async (jobs: unknown) => void added.push(jobs) }) as never

const queueOf = (classes: BullClasses): BullQueue =>
  new BullQueue(
    async () => classes,
    () => 0,
    () => {},
  )

it('leaves a chat in line that comes when the work has ended', async () => {
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

it('waits for every worker, also when another cannot be closed', async () => {
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

it('tells of no error that the next time mends, and of every other', async () => {
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
  fail(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
  expect(errors).toEqual([])
  const lost = new Error('the connection is lost')
  fail(lost)
  expect(errors).toEqual([lost])
  stop.abort()
  await work
})

it('runs all chats of a job as far as it has places, puts the others in line first, and takes nothing more meanwhile', async () => {
  const { classes, give, isPaused } = workersOf()
  const added: unknown[] = []
  const queue = queueOf({ ...classes, queue: () => lineOf(added) })
  const stop = new AbortController()
  const gates = new Map<string, () => void>()
  const work = queue.work({
    kinds: [{ name: 'one', version: '1', concurrency: 3 }],
    ...{ concurrency: 1, lease: 5, signal: stop.signal, onError() {} },
    run: async (id) => await new Promise<void>((resolve) => void gates.set(id, resolve)),
  })
  await new Promise((resolve) => setImmediate(resolve))
  const given = give('one@1', 'a', ['b', 'c', 'd', 'e'])
  await expect.poll(() => added.length).toBe(1)
  expect([[...gates.keys()], isPaused('one@1')]).toEqual([['a', 'b', 'c'], true])
  expect(added).toMatchObject([[{ data: { id: 'd' }, opts: { lifo: true } }, { data: { id: 'e' } }]])
  gates.get('b')!()
  await expect.poll(() => isPaused('one@1')).toBe(false)
  const another = give('one@1', 'f')
  await expect.poll(() => gates.size).toBe(4)
  for (const end of gates.values()) end()
  stop.abort()
  await Promise.all([given, another, work])
})

it('runs all chats of a job again where one of them failed', async () => {
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
