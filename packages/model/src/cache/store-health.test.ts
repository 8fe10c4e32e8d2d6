import { describe, expect, test } from 'vitest'
import { healthsOf, StoreHealth } from './store-health.ts'

const made = (): StoreHealth => new StoreHealth('s', 'the cache `s` is not used')

/** A thing that happens to a store; a number lets so many milliseconds pass. */
type Happening = 'use' | 'succeed' | 'fail' | 'hang' | number

/** Lets things happen and tells whether the store may be used afterwards. */
function afterwards(happenings: readonly Happening[], health: StoreHealth = made()): boolean {
  let now = 1_000_000
  for (const each of happenings) {
    if (typeof each === 'number') now += each
    else if (each === 'use') expect(health.mayUse({ now: () => now })).toBe(true)
    else if (each === 'succeed') health.succeed()
    else health[each](now, 'it is broken')
  }
  return health.mayUse({ now: () => now })
}

const PAUSED: readonly Happening[] = ['hang', 30_000, 'use']

test.each<[string, readonly Happening[], boolean]>([
  ['is used at first', [], true],
  ['is used after two failures', ['fail', 'fail'], true],
  ['is paused by three failures in a row', ['fail', 'fail', 'fail'], false],
  ['is not paused by three failures with a success between', ['fail', 'fail', 'succeed', 'fail'], true],
  ['is paused by one deadline', ['hang'], false],
  ['is paused by a deadline after a success', ['succeed', 'hang'], false],
  ['is paused for 30 s', ['hang', 29_999], false],
  ['is tried after 30 s', ['hang', 30_000], true],
  ['is tried after 30 s without failures', ['fail', 'fail', 'fail', 30_000], true],
  ['refuses other uses during the trial', PAUSED, false],
  ['refuses other uses until the trial ends', [...PAUSED, 29_999], false],
  ['is tried again after a trial without an outcome', [...PAUSED, 30_000], true],
  ['is used after a trial that succeeds', [...PAUSED, 'succeed'], true],
  ['has three failures again after a trial that succeeds', [...PAUSED, 'succeed', 'fail', 'fail'], true],
  ['is paused by one failure of the trial', [...PAUSED, 'fail'], false],
  ['is paused for 30 s from the failure of the trial', [...PAUSED, 500, 'fail', 29_999], false],
  ['is tried 30 s after the failure of the trial', [...PAUSED, 500, 'fail', 30_000], true],
  ['is paused by a deadline of the trial', [...PAUSED, 500, 'hang', 29_999], false],
  ['is used when a use from before the pause succeeds', ['fail', 'fail', 'fail', 'succeed'], true],
  ['is tried when the clock was set back', ['hang', -3_600_000], true],
])('a store %s', (_, happenings, used) => {
  expect(afterwards(happenings)).toBe(used)
})

describe('a deadline', () => {
  test('ends the uses under way, and none that are over', () => {
    const health = made()
    const ended: string[] = []
    health.track((reason) => void ended.push(`first: ${reason}`))
    const forget = health.track((reason) => void ended.push(`second: ${reason}`))
    forget()
    health.hang(0, 'it took longer than 1 s')
    health.hang(0, 'it took longer than 2 s')
    expect(ended).toEqual(['first: it took longer than 1 s'])
  })

  test('is not what a failure does', () => {
    const health = made()
    let ended = 0
    health.track(() => void ended++)
    for (let i = 0; i < 3; i++) health.fail(0, 'it is broken')
    expect([ended, health.isPaused]).toEqual([0, true])
  })
})

test('a pause says why', () => {
  const health = made()
  health.fail(0, 'ECONNREFUSED')
  expect([health.isHealthy, health.isPaused, health.pauseText]).toEqual([false, false, undefined])
  health.fail(0, 'ECONNREFUSED')
  health.fail(0, 'ECONNREFUSED')
  expect(health.pauseText).toBe(
    'the cache `s` is not used for 30 s: it failed 3 times in a row, at last with: ECONNREFUSED',
  )
  health.hang(0, 'it took longer than 1 s')
  expect(health.pauseText).toBe('the cache `s` is not used for 30 s: it took longer than 1 s')
})

test('each kind of use of a store is judged apart, by all who use the store', () => {
  const store = { name: 's', get: () => undefined, set: () => {} }
  healthsOf(store).lookups.hang(0, 'it took longer than 1 s')
  const { lookups, writes, claims } = healthsOf(store)
  expect([lookups.isPaused, writes.isHealthy, claims.isHealthy]).toEqual([true, true, true])
  expect(healthsOf({ ...store }).lookups.isHealthy).toBe(true)
})
