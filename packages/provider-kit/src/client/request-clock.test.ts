import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { watchedInit } from '../http/request-watch.ts'
import { createTransport } from '../http/transport.ts'
import { RequestClock } from './request-clock.ts'

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

test('a caller stops a request by a listener, and no signal is made for it', async () => {
  const listeners = new Set<(reason: unknown) => void>()
  const caller = {
    get signal(): never {
      throw new Error('the signal was read')
    },
    onStop: (listener: (reason: unknown) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const clock = new RequestClock(caller, {})
  const waiting = clock.race(new Promise(() => {}))
  for (const tell of listeners) tell('enough')
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  expect([clock.hasCallerLeft, clock.signal.reason]).toEqual([true, 'enough'])
  clock.stop()
  expect(listeners.size).toBe(0)
})

describe.each([
  ['objects, as in Node', false],
  ['numbers, as in browsers and workers', true],
])('the time of a call, by timers that are %s', (_, ofBrowser) => {
  test('of silence begins again with every byte', () => {
    const timers = useTimers(ofBrowser)
    const clock = new RequestClock({}, { connect: 1, firstByte: 1, silence: 1 })
    clock.begin()
    for (const step of ['onSend', 'onBytes', 'onBytes', 'onBytes'] as const) {
      timers.pass(900)
      clock[step]()
    }
    expect(clock.expired).toBeUndefined()
    timers.pass(1000)
    expect([clock.expired, clock.signal.aborted]).toEqual(['silence', true])
  })

  test.each([
    ['connect', ['begin']],
    ['firstByte', ['begin', 'onSend']],
    ['silence', ['begin', 'onSend', 'onBytes']],
    ['firstByte', []],
  ] as const)('ends a request by its limit `%s` after %j', (name, steps) => {
    const timers = useTimers(ofBrowser)
    const clock = new RequestClock({}, { connect: 1, firstByte: 2, silence: 3, call: 60 })
    for (const step of steps) clock[step]()
    timers.pass(999 * { connect: 1, firstByte: 2, silence: 3 }[name])
    expect(clock.expired).toBeUndefined()
    timers.pass(10)
    expect(clock.expired).toBe(name)
  })

  test('ends the whole request by `call`, whatever bytes arrive', () => {
    const timers = useTimers(ofBrowser)
    const clock = new RequestClock({}, { silence: 1, call: 2 })
    for (let piece = 0; piece < 4; piece++) {
      clock.onBytes()
      timers.pass(500)
    }
    expect(clock.expired).toBe('call')
  })

  test('does not pass while the reader holds an event', async () => {
    const timers = useTimers(ofBrowser)
    const clock = new RequestClock({}, { silence: 1, call: 2 })
    clock.onBytes()
    clock.hold()
    timers.pass(60_000)
    expect(clock.expired).toBeUndefined()
    const waiting = clock.until(new Promise(() => {}), () => {})
    timers.pass(999)
    expect(clock.expired).toBeUndefined()
    timers.pass(1)
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    expect(clock.expired).toBe('silence')
  })

  test('is over when the call is: a late byte starts nothing', () => {
    const timers = useTimers(ofBrowser)
    const clock = new RequestClock({}, { silence: 1, call: 1 })
    clock.stop()
    clock.onBytes()
    timers.pass(5000)
    expect([clock.expired, clock.signal.aborted]).toEqual([undefined, false])
  })
})

test('a request that has left cannot be followed by another one of the same call', () => {
  const reports: unknown[] = []
  const clock = new RequestClock({}, {}, (hasLeft) => reports.push(hasLeft) > 0)
  clock.begin()
  clock.begin()
  clock.onSend()
  expect(() => clock.begin()).toThrow('a second request for one call')
  clock.onUnsent()
  clock.begin()
  expect(reports).toEqual([false, false, true, false, false])
})

describe('the request of a call that has ended', () => {
  test('is not begun by a `fetch` of the user', async () => {
    const clock = new RequestClock({}, {})
    const asked: unknown[] = []
    const fetch = createTransport(async (...all) => (asked.push(all), new Response('{}')))
    clock.cancel()
    await expect(fetch('http://a.invalid/', watchedInit({ method: 'POST' }, clock))).rejects.toThrow('aborted')
    expect([asked, clock.hasLeft]).toEqual([[], false])
  })

  test('is stopped at the connection, whether the answer has begun or not', async () => {
    for (const begins of [false, true]) {
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      const { promise: asked, resolve: begin } = Promise.withResolvers<void>()
      const server = createServer((_, response) => {
        response.on('close', resolve)
        if (begins) response.write('first')
        begin()
      })
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
      onTestFinished(() => void server.close())
      const clock = new RequestClock({}, {})
      const { port } = server.address() as AddressInfo
      const init = watchedInit({ method: 'POST', body: '{}' }, clock)
      const response = createTransport()(`http://127.0.0.1:${port}/`, init)
      const text = response.then(async (answer) => await answer.text())
      if (begins) await response
      await asked
      clock.cancel()
      await expect(text).rejects.toMatchObject({ name: 'AbortError' })
      await closed
    }
  })

  test('a `fetch` of the user gets the signal of the call and nothing of ours', async () => {
    const clock = new RequestClock({}, {})
    let given: RequestInit = {}
    const fetch = createTransport(async (_, init = {}) => ((given = init), new Response('{}')))
    await fetch('http://a.invalid/', watchedInit({ method: 'POST', body: '{}' }, clock))
    const symbols = Object.getOwnPropertySymbols(given)
    expect([given.signal, given.redirect, given.body, symbols]).toEqual([clock.signal, 'manual', '{}', []])
    clock.cancel()
    expect(given.signal?.aborted).toBe(true)
  })
})
