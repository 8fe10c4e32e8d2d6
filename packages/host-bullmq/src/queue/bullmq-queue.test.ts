import type { Job } from 'bullmq'
import { expect, it } from 'vitest'
import { BullQueue, type BullClasses } from './bullmq-queue.ts'

it('leaves a chat in line that comes when the work has ended', async () => {
  let give: (job: Job) => Promise<void> = async () => {}
  const classes: BullClasses = {
    queue: () => {
      throw new Error('nothing is added')
    },
    worker(_, process) {
      give = process
      const nothing = async (): Promise<void> => {}
      return { on() {}, waitUntilReady: nothing, run: nothing, close: nothing } as never
    },
    putBack: () => new Error('put back'),
  }
  const queue = new BullQueue(
    async () => classes,
    () => 0,
    () => {},
  )
  const stop = new AbortController()
  const runs: string[] = []
  const work = queue.work({
    kinds: [{ name: 'one', version: '1' }],
    ...{ concurrency: 1, lease: 5, signal: stop.signal, onError() {} },
    run: async (id) => void runs.push(id),
  })
  await new Promise((resolve) => setImmediate(resolve))
  await give({ data: { id: 'a' } } as Job)
  stop.abort()
  await expect(give({ data: { id: 'b' } } as Job)).rejects.toMatchObject({ code: 'aborted' })
  expect(runs).toEqual(['a'])
  await work
})
