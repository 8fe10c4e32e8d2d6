import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Renewals } from './renewals.ts'

const LEASE_S = 30

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Renewals of a store that a test takes away and gives back. */
function renewalsOf({ hasConnections = true } = {}) {
  const store = {
    renew: async (): Promise<void> => {},
    reconnect: async (): Promise<void> => {},
  }
  const errors: string[] = []
  let reconnects = 0
  const renewals = new Renewals({
    lease: LEASE_S,
    renew: () => store.renew(),
    reconnect: hasConnections ? () => store.reconnect() : undefined,
    onError: (error) => errors.push((error as Error).message),
    onReconnect: () => reconnects++,
    now: () => performance.now(),
  })
  /** Lets time pass, with a renewal at every interval that does not overlap with the last one. */
  const pass = async (seconds: number): Promise<void> => {
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      await vi.advanceTimersByTimeAsync(renewals.interval * 1000)
      const renewing = renewals.renew()
      while (!(await isSettled(renewing))) await vi.advanceTimersByTimeAsync(500)
    }
  }
  return { store, errors, renewals, pass, reconnects: () => reconnects }
}

const isSettled = async (promise: Promise<void>): Promise<boolean> =>
  await Promise.race([promise.then(() => true), vi.advanceTimersByTimeAsync(0).then(() => false)])

const never = (): Promise<void> => new Promise(() => {})
const refused = async (): Promise<void> => {
  throw new Error('connect ECONNREFUSED')
}

it('makes the connections again after a renewal without an answer, before the lease has ended', async () => {
  const { store, errors, renewals, pass, reconnects } = renewalsOf()
  await pass(LEASE_S)
  expect([errors, reconnects()]).toEqual([[], 0])
  store.renew = never
  store.reconnect = async () => void (store.renew = async () => {})
  await pass(1)
  expect(reconnects()).toBe(1)
  expect(errors).toEqual(['the worker could not renew its claims for 17.5 seconds, and makes its connections again'])
  expect([renewals.silence, renewals.isStuck]).toEqual([null, false])
  await pass(3 * LEASE_S)
  expect([reconnects(), errors.length, renewals.isStuck]).toEqual([1, 1, false])
})

it('says after a lease that other workers may take the chats over', async () => {
  const { store, errors, renewals, pass } = renewalsOf()
  store.renew = never
  store.reconnect = refused
  await pass(LEASE_S)
  expect(renewals.silence).toBeGreaterThanOrEqual(LEASE_S)
  await pass(1)
  expect(errors.at(-2)).toMatch(/; other workers may take its chats over$/u)
  expect(errors.at(-1)).toBe('connect ECONNREFUSED')
})

it('is not stuck while no new connection can write, however long', async () => {
  for (const renew of [never, refused]) {
    const { store, renewals, pass, reconnects } = renewalsOf()
    store.renew = renew
    store.reconnect = refused
    await pass(20 * LEASE_S)
    expect(reconnects()).toBeGreaterThan(10)
    expect(renewals.isStuck).toBe(false)
    store.renew = async () => {}
    await pass(1)
    expect([renewals.silence, renewals.isStuck]).toEqual([null, false])
  }
})

it('is stuck when for a lease a new connection can write and no renewal has succeeded, until one does', async () => {
  for (const renew of [never, refused]) {
    const { store, renewals, pass } = renewalsOf()
    store.renew = renew
    await pass(1)
    expect(renewals.isStuck).toBe(false)
    await pass(4 * LEASE_S)
    expect(renewals.isStuck).toBe(true)
    store.renew = async () => {}
    await pass(1)
    expect(renewals.isStuck).toBe(false)
  }
})

it('does not make connections again for renewals that fail, before a lease has passed', async () => {
  const { store, pass, reconnects } = renewalsOf()
  store.renew = refused
  await pass(LEASE_S - 10)
  expect(reconnects()).toBe(0)
  await pass(10)
  expect(reconnects()).toBe(1)
  await pass(LEASE_S)
  expect(reconnects()).toBe(2)
})

it('reports a store without connections that does not answer, and is never stuck', async () => {
  const { store, errors, renewals, pass } = renewalsOf({ hasConnections: false })
  store.renew = never
  await pass(4 * LEASE_S)
  expect(errors[0]).toBe('the worker could not renew its claims for 17.5 seconds')
  expect(renewals.isStuck).toBe(false)
})
