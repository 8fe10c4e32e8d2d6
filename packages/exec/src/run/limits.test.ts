import { expect, it } from 'vitest'
import { limitsOf } from './limits.ts'

it('counts bytes and processes in whole numbers, and time in parts of seconds', () => {
  const limits = limitsOf({ memoryBytes: 0.1 * 2 ** 30, pids: 10.5, timeout: 16.1 })
  expect(limits).toMatchObject({ memoryBytes: 107_374_182, pids: 10, timeout: 16.1 })
})

it.each([
  [{ timeout: 0.5 }, '`timeout` 0.5: give at least 1'],
  [{ timeout: Infinity }, '`timeout` Infinity: give at most 2147483'],
  [{ pids: Infinity }, '`pids` Infinity: give at most 9007199254740991'],
  [{ pids: Number.NaN }, '`pids` NaN: give at least 1'],
])('says how far a limit is out of range: %o', (limits, text) => {
  expect(() => limitsOf(limits)).toThrow(`cannot run code with the limit ${text}`)
})
