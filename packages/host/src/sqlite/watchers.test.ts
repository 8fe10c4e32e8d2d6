import { afterEach, expect, it, vi } from 'vitest'
import { sqlite } from './sqlite.ts'
import { Watchers } from './watchers.ts'

afterEach(() => void vi.useRealTimers())

it('notifies listeners of changes by other processes, also after the file could not be read once', () => {
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
  const notified: (string | null)[] = []
  const remove = watchers.add((id) => void notified.push(id))
  vi.advanceTimersByTime(100)
  expect(notified).toEqual([])
  vi.advanceTimersByTime(400)
  expect(notified).toEqual([null])
  remove()
  expect(vi.getTimerCount()).toBe(0)
})

it('notifies listeners of events only for chats that somebody follows', async () => {
  const at = sqlite(':memory:')
  await at.store.submit({ id: 'a', name: 'n', version: '1', input: null })
  const claim = (await at.store.claim('a', 600))!
  const notified: (string | null)[] = []
  const remove = at.watch((id) => void notified.push(id))
  const event = { type: 'warning', message: 'one', at: 0, ids: { runId: 'a' } } as never
  const entry = { place: '1', kind: 'model', value: 1, checksum: '00000000' } as const
  await at.events.append(claim, [event])
  await at.store.append(claim, [{ seq: 0, ...entry }], [event])
  expect(notified).toEqual([])
  await at.events.follow(['a'], 600)
  await at.events.append(claim, [event])
  await at.store.append(claim, [{ seq: 1, ...entry, place: '2' }], [event])
  expect(notified).toEqual(['a', 'a'])
  remove()
  await at.close()
})
