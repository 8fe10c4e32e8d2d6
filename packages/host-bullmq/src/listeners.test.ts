import { expect, it } from 'vitest'
import { Listeners } from './listeners.ts'

it('are notified by the next connection when the first failed', async () => {
  const errors: unknown[] = []
  let tries = 0
  const listeners = new Listeners(
    async (notify) => {
      if (tries++ === 0) throw new Error('nobody is there')
      notify('a')
      return () => {}
    },
    (error) => errors.push(error),
  )
  const notified: (string | null)[] = []
  listeners.add((id) => void notified.push(id))
  await expect.poll(() => errors).toMatchObject([{ message: 'nobody is there' }])
  listeners.add(() => {})
  await expect.poll(() => notified).toEqual(['a', null])
  await listeners.close()
})

it('hold no connection after `close`', async () => {
  const open = new Set<object>()
  const listeners = new Listeners(
    async () => {
      const connection = {}
      open.add(connection)
      return () => void open.delete(connection)
    },
    () => {},
  )
  listeners.add(() => {})
  await listeners.close()
  listeners.add(() => {})
  await new Promise((resolve) => setImmediate(resolve))
  expect(open.size).toBe(0)
})
