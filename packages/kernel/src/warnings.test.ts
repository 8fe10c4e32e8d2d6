import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { warnThat } from './warnings.ts'

const warnings: string[] = []

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** The warnings since the last call. */
const reported = (): string[] => warnings.splice(0)

it('reports the first error of a kind at once, and those of every interval after it in a line with their number', () => {
  const warn = warnThat('the worker goes on')
  for (let n = 0; n < 45_199; n++) warn(new Error(`cannot continue \`chat-${n}\`: OOM after ${n} ms`))
  warn(new Error('connect ECONNREFUSED'))
  expect(reported()).toEqual([
    'the worker goes on: cannot continue `chat-0`: OOM after 0 ms',
    'the worker goes on: connect ECONNREFUSED',
  ])
  vi.advanceTimersByTime(10_000)
  warn(new Error('cannot continue `chat-1`: OOM after 2 ms'))
  expect(reported()).toEqual([
    'the worker goes on: cannot continue `chat-0`: OOM after 0 ms (45198 more of this kind in 10 seconds)',
  ])
  vi.advanceTimersByTime(10_000)
  expect(reported()).toHaveLength(1)
  vi.advanceTimersByTime(10_000)
  expect(reported()).toEqual([])
  warn('connect ECONNREFUSED')
  expect(reported()).toEqual(['the worker goes on: connect ECONNREFUSED'])
})

it('counts kinds beyond a bound together', () => {
  const warn = warnThat('x')
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  for (const one of letters) for (const other of letters) warn(new Error(one + other))
  expect(reported()).toHaveLength(101)
  vi.advanceTimersByTime(10_000)
  expect(reported()).toEqual([expect.stringContaining(`(${26 * 26 - 101} more of this kind in 10 seconds)`)])
})
