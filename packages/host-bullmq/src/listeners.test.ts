import { expect, it } from 'vitest'
import { Listeners } from './listeners.ts'

it('are told of changes by the next connection, when the first could not be made', async () => {
  const errors: unknown[] = []
  let tries = 0
  const listeners = new Listeners(
    async (tell) => {
      if (tries++ === 0) throw new Error('nobody is there')
      tell('a')
      return () => {}
    },
    (error) => errors.push(error),
  )
  const told: (string | null)[] = []
  listeners.add((id) => void told.push(id))
  await expect.poll(() => errors).toMatchObject([{ message: 'nobody is there' }])
  listeners.add(() => {})
  await expect.poll(() => told).toEqual(['a', null])
  await listeners.close()
})

it('hold no connection after they are closed', async () => {
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
