import type { Job } from 'bullmq'
import { expect, it } from 'vitest'
import { BullQueue, type BullClasses } from './bullmq-queue.ts'

/** Workers without a server: jobs are given to them by name; `close` ends each of them. */
function workersOf(close: (name: string) => Promise<void> = async () => {}): {
  classes: BullClasses
  give: (name: string, id: string) => Promise<void>
} {
  const takes = new Map<string, (job: Job) => Promise<void>>()
  const worker: BullClasses['worker'] = (name, process) => {
    takes.set(name, process)
    const nothing = async (): Promise<void> => {}
    return { on() {}, waitUntilReady: nothing, run: nothing, close: () => close(name) } as never
  }
  const queue = (): never => {
    throw new Error('nothing is added')
  }
  return { classes: { queue, worker }, give: (name, id) => takes.get(name)!({ data: { id } } as Job) }
}

it('does not take a chat out of line that has waited for a place until the end of the work', async () => {
  const { classes, give } = workersOf()
  const queue = new BullQueue(
    async () => classes,
    () => 0,
    () => {},
  )
  const stop = new AbortController()
  const first = Promise.withResolvers<void>()
  const runs: string[] = []
  const work = queue.work({
    kinds: ['one', 'two'].map((name) => ({ name, version: '1' })),
    ...{ concurrency: 1, lease: 5, signal: stop.signal, onError() {} },
    async run(id) {
      runs.push(id)
      await first.promise
    },
  })
  await new Promise((resolve) => setImmediate(resolve))
  const begun = give('one@1', 'a')
  const waiting = give('two@1', 'b')
  stop.abort()
  first.resolve()
  await begun
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  expect(runs).toEqual(['a'])
  await work
})

it('waits for every worker, also when another cannot be closed', async () => {
  const late = Promise.withResolvers<void>()
  const { classes } = workersOf(async (name) => {
    if (name === 'one@1') throw new Error('the connection is lost')
    await late.promise
  })
  const queue = new BullQueue(
    async () => classes,
    () => 0,
    () => {},
  )
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
