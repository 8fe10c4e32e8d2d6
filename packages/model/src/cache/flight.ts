import type { CacheStore } from '@x/interfaces'
import { sameValue } from '../data/same-value.ts'

/** A result that is being kept when it comes: requests that come before it is kept share it, too. */
interface Shareable {
  /** Resolves when the store has the result or is given up. */
  readonly written?: PromiseLike<void> | undefined
}

/** A call that several equal requests share. */
export interface Flight<T> {
  readonly result: Promise<T>
  /** Whether another caller started it, on other terms: its failure says nothing of this one. */
  readonly foreign: boolean
  /** Makes the caller the one who pays; false when another one is already. */
  pay(): boolean
  /** Stops waiting for it; when nobody waits any more, the call is stopped. */
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

/** The calls under way by store: every wrapper that uses a store joins them, and nothing is attached to the store. */
const flightsByStore = new WeakMap<CacheStore, Map<string, SharedCall>>()

/**
 * Joins the call for a key of a store, or starts it. It has a signal of its own, so that one caller's abort ends no
 * other. Its terms are what may make it fail for one caller and not for another: key, time limit, budget.
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

/** Whether a call for a key of a store is under way. */
export function isInFlight(store: CacheStore, key: string): boolean {
  return flightsByStore.get(store)?.has(key) ?? false
}

function flightsOf(store: CacheStore): Map<string, SharedCall> {
  let flights = flightsByStore.get(store)
  if (!flights) flightsByStore.set(store, (flights = new Map()))
  return flights
}
