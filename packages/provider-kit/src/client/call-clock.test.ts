import { describe, expect, onTestFinished, test } from 'vitest'
import { startCallClock } from './call-clock.ts'

/** Puts timers of a test in the place of the platform's; those of a browser are numbers. */
function useTimers(ofBrowser: boolean): { pass(ms: number): void } {
  const { setTimeout, clearTimeout } = globalThis
  onTestFinished(() => void Object.assign(globalThis, { setTimeout, clearTimeout }))
  const due = new Map<unknown, { at: number; call: () => void }>()
  let now = 0
  let last = 0
  const set = (call: () => void, ms: number): unknown => {
    const id = ++last
    const timer = ofBrowser ? id : { refresh: () => due.set(timer, { at: now + ms, call }) }
    due.set(timer, { at: now + ms, call })
    return timer
  }
  Object.assign(globalThis, { setTimeout: set, clearTimeout: (timer: unknown) => due.delete(timer) })
  return {
    pass(ms) {
      now += ms
      for (const [timer, { at, call }] of due) {
        if (at > now) continue
        due.delete(timer)
        call()
      }
    },
  }
}

describe.each([
  ['objects, as in Node', false],
  ['numbers, as in browsers and workers', true],
])('the time of a call, by timers that are %s', (_, ofBrowser) => {
  test('begins again with every piece', () => {
    const timers = useTimers(ofBrowser)
    const clock = startCallClock(undefined, 1)
    for (let piece = 0; piece < 3; piece++) {
      timers.pass(900)
      clock.restart()
    }
    expect(clock.timedOut).toBe(false)
    timers.pass(1000)
    expect([clock.timedOut, clock.signal.aborted]).toEqual([true, true])
  })

  test('is over when the call is: a late piece starts nothing', () => {
    const timers = useTimers(ofBrowser)
    const clock = startCallClock(undefined, 1)
    clock.stop()
    clock.restart()
    timers.pass(5000)
    expect([clock.timedOut, clock.signal.aborted]).toEqual([false, false])
  })
})
