import type { CacheStore } from '@x/interfaces'
import { sameValue } from '../data/same-value.ts'

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

interface Shared {
  readonly terms: unknown
  readonly result: Promise<unknown>
  readonly controller: AbortController
  waiting: number
  paid: boolean
  landed: boolean
}

/** Where a store keeps its flights: on itself, so that every wrapper that has the store joins them. */
const FLIGHTS = Symbol.for('@x/model/flights')

/**
 * Joins the call for a key of a store, or starts it. It has a signal of its own, so that one caller's abort ends no
 * other. Its terms are what may make it fail for one caller and not for another: key, time limit, budget.
 */
export function joinFlight<T>(
  store: CacheStore,
  key: string,
  terms: unknown,
  start: (signal: AbortSignal) => Promise<T>,
): Flight<T> {
  const flights = flightsOf(store)
  let shared = flights.get(key)
  if (!shared) {
    const controller = new AbortController()
    const result = start(controller.signal)
    const made: Shared = { terms, result, controller, waiting: 0, paid: false, landed: false }
    const over = (): void => {
      made.landed = true
      if (flights.get(key) === made) flights.delete(key)
    }
    result.then(over, over)
    flights.set(key, made)
    shared = made
  }
  const flight = shared
  flight.waiting++
  return {
    result: flight.result as Promise<T>,
    foreign: !sameValue(flight.terms, terms),
    pay() {
      if (flight.paid) return false
      return (flight.paid = true)
    },
    leave() {
      if (--flight.waiting > 0 || flight.landed) return
      if (flights.get(key) === flight) flights.delete(key)
      flight.controller.abort()
    },
  }
}

/** Whether a call for a key of a store is under way. */
export function isFlying(store: CacheStore, key: string): boolean {
  return flightsOf(store).has(key)
}

function flightsOf(store: CacheStore): Map<string, Shared> {
  const holder = store as CacheStore & { [FLIGHTS]?: Map<string, Shared> }
  const known = holder[FLIGHTS]
  if (known) return known
  const flights = new Map<string, Shared>()
  // A frozen store cannot keep them: its requests are then not joined.
  if (Object.isExtensible(store)) Object.defineProperty(store, FLIGHTS, { value: flights })
  return flights
}
