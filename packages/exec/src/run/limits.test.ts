import { expect, it } from 'vitest'
import { limitsOf } from './limits.ts'

it('counts bytes and processes in whole numbers, and time in parts of seconds', () => {
  const limits = limitsOf({ memoryBytes: 0.1 * 2 ** 30, pids: 10.5, timeout: 16.1 })
  expect(limits).toMatchObject({ memoryBytes: 107_374_182, pids: 10, timeout: 16.1 })
})
