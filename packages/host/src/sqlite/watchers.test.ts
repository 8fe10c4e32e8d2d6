import { afterEach, expect, it, vi } from 'vitest'
import { Watchers } from './watchers.ts'

afterEach(() => void vi.useRealTimers())

it('tells of changes of other processes, also after the file could not be read once', () => {
  vi.useFakeTimers()
  const versions: (() => number)[] = [
    () => 1,
    () => 1,
    () => {
      throw new Error('disk I/O error')
    },
    () => 1,
    () => 2,
    () => 2,
  ]
  const watchers = new Watchers(() => versions.shift()!())
  const told: (string | null)[] = []
  const remove = watchers.add((id) => void told.push(id))
  vi.advanceTimersByTime(100)
  expect(told).toEqual([])
  vi.advanceTimersByTime(400)
  expect(told).toEqual([null])
  remove()
  expect(vi.getTimerCount()).toBe(0)
})
