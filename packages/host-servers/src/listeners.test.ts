import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Listeners, type Subscription, type SubscriptionCalls } from './listeners.ts'

/** A subscription that the test can lose, and whose server can fall silent. */
interface FakeSubscription extends SubscriptionCalls {
  renewals: number
  isSilent: boolean
  isClosed: boolean
}

const open: FakeSubscription[] = []
const errors: unknown[] = []
/** Errors of the next subscriptions, which cannot be made. */
const failures: Error[] = []
let notified: (string | null)[] = []
let listeners: Listeners

async function subscribe(calls: SubscriptionCalls): Promise<Subscription> {
  const failure = failures.shift()
  if (failure) {
    calls.onLost()
    setTimeout(calls.onLost, 100)
    throw failure
  }
  const own: FakeSubscription = { ...calls, renewals: 0, isSilent: false, isClosed: false }
  open.push(own)
  return {
    async renew() {
      if (own.isSilent) return await new Promise(() => {})
      own.renewals++
    },
    close: () => void (own.isClosed = true),
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  for (const list of [open, errors, failures, notified]) list.length = 0
  notified = []
  listeners = new Listeners(subscribe, (error) => errors.push(error))
})

afterEach(async () => {
  await listeners.close()
  expect(open.every(({ isClosed }) => isClosed)).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const listen = (): void => void listeners.add((id) => void notified.push(id))

it('subscribe once for all, renew the subscription every two seconds, and say what they hear', async () => {
  listen()
  listen()
  await vi.advanceTimersByTimeAsync(7000)
  expect(open).toMatchObject([{ renewals: 3 }])
  open[0]!.notify('a')
  expect(notified).toEqual([null, null, 'a', 'a'])
})

it('subscribe again when the first time failed', async () => {
  failures.push(new Error('nobody is there'), new Error('still nobody'))
  listen()
  await vi.advanceTimersByTimeAsync(900)
  expect(open).toEqual([])
  await vi.advanceTimersByTimeAsync(100)
  expect(errors).toMatchObject([{ message: 'nobody is there' }, { message: 'still nobody' }])
  expect(open).toHaveLength(1)
  expect(notified).toEqual([null])
})

it('subscribe again when the connection is lost, and say that changes may have been missed', async () => {
  listen()
  await vi.advanceTimersByTimeAsync(100)
  open[0]!.onLost()
  await vi.advanceTimersByTimeAsync(0)
  expect(open).toMatchObject([{ isClosed: true }])
  expect(notified).toEqual([null, null])
  await vi.advanceTimersByTimeAsync(500)
  open[1]!.notify('a')
  expect(notified).toEqual([null, null, null, 'a'])
  expect(errors).toEqual([])
})

it('subscribe again when the server is silent', async () => {
  listen()
  await vi.advanceTimersByTimeAsync(2100)
  open[0]!.isSilent = true
  await vi.advanceTimersByTimeAsync(3900)
  expect(open).toMatchObject([{ renewals: 1, isClosed: true }])
  expect(errors).toMatchObject([{ message: 'the server gave no answer within 2 seconds' }])
  await vi.advanceTimersByTimeAsync(500)
  // The connection that was given up is lost later.
  open[0]!.onLost()
  await vi.advanceTimersByTimeAsync(1000)
  expect(open).toMatchObject([{ isClosed: true }, { isClosed: false }])
  expect(notified).toEqual([null, null, null])
})

it('subscribe again when they are told to', async () => {
  listen()
  await vi.advanceTimersByTimeAsync(100)
  listeners.reconnect()
  await vi.advanceTimersByTimeAsync(500)
  expect(open).toMatchObject([{ isClosed: true }, { isClosed: false }])
})

it('hold no subscription after `close`, also if it was being made', async () => {
  listen()
  await listeners.close()
  listen()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(open).toMatchObject([{ isClosed: true }])
})
