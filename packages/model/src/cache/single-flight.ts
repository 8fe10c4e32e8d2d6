import type { CacheStore } from '@x/interfaces'
import { sameValue } from '../data/plain-data.ts'

/** A result that may still be on its way into the store: requests that come before it is there share it too. */
interface Shareable {
  /** Resolves when the store has the result, or when the write is given up. */
  readonly written?: PromiseLike<void> | undefined
}

/** A call that several equal requests share. */
export interface Flight<T> {
  readonly result: Promise<T>
  /** True if another caller started the call on other terms, so that its failure says nothing about this caller. */
  readonly foreign: boolean
  /** Makes this caller the one who pays; returns false when another caller already pays. */
  pay(): boolean
  /** Stops waiting; when no caller waits any more, the call is stopped. */
  leave(): void
}

interface SharedCall {
  readonly terms: unknown
  readonly result: Promise<unknown>
  readonly controller: AbortController
  waiting: number
  paid: boolean
  settled: boolean
}

/** The calls under way by store, which all wrappers that use the store share. The store itself is not touched. */
const flightsByStore = new WeakMap<CacheStore, Map<string, SharedCall>>()

/**
 * Joins the call for a key of a store, or starts it. The call has a signal of its own, so that an abort by one caller does
 * not stop the others. `terms` are what may make the call fail for one caller and not for another: API key, time limit,
 * budget.
 */
export function joinFlight<T extends Shareable>(
  store: CacheStore,
  key: string,
  terms: unknown,
  start: (signal: AbortSignal) => Promise<T>,
): Flight<T> {
  const flights = flightsOf(store)
  let call = flights.get(key)
  if (!call) {
    const controller = new AbortController()
    const result = start(controller.signal)
    const made: SharedCall = { terms, result, controller, waiting: 0, paid: false, settled: false }
    const land = (): void => {
      if (flights.get(key) === made) flights.delete(key)
    }
    const settle = ({ written }: Shareable): void => {
      made.settled = true
      if (written) written.then(land, land)
      else land()
    }
    result.then(settle, () => settle({}))
    flights.set(key, made)
    call = made
  }
  const flight = call
  flight.waiting++
  return {
    result: flight.result as Promise<T>,
    foreign: !sameValue(flight.terms, terms),
    pay() {
      if (flight.paid) return false
      return (flight.paid = true)
    },
    leave() {
      if (--flight.waiting > 0 || flight.settled) return
      if (flights.get(key) === flight) flights.delete(key)
      flight.controller.abort()
    },
  }
}

/** Tells whether a call for a key of a store is under way. */
export function isInFlight(store: CacheStore, key: string): boolean {
  return flightsByStore.get(store)?.has(key) ?? false
}

function flightsOf(store: CacheStore): Map<string, SharedCall> {
  let flights = flightsByStore.get(store)
  if (!flights) flightsByStore.set(store, (flights = new Map()))
  return flights
}
