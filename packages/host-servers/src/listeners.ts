import { answeredWithin } from './pending-calls.ts'

/** A subscription to changes of chats, on a connection of its own. */
export interface Subscription {
  /** Subscribes again; fails, or stays without an answer, if the server no longer sends changes. */
  renew(): Promise<unknown>
  close(): void | Promise<void>
}

/** The calls that a subscription makes. */
export interface SubscriptionCalls {
  /** Tells a change, by the identifier of its chat. */
  readonly notify: (id: string) => void
  /** Tells that the connection is lost. */
  readonly onLost: () => void
}

type Listener = (id: string | null) => void

/** Interval at which a subscription is renewed, and time within which the server has to answer. */
const RENEWAL_INTERVAL_MS = 2000
/** Delay before a subscription that is lost is made again. */
const RETRY_DELAY_MS = 500

/**
 * Listeners for changes of chats, with one subscription that is made for the first of them. It is made again when its connection
 * is lost or silent, or could not be opened. Listeners get null when they may have missed changes.
 */
export class Listeners {
  readonly #subscribe: (calls: SubscriptionCalls) => Promise<Subscription>
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<Listener>()
  #subscribing: Promise<void> | undefined
  #isClosed = false
  /** Ends the current subscription, or the wait for the next one. */
  #end = (): void => {}

  /** `onError` receives the error of each subscription that could not be made, or was silent. */
  constructor(subscribe: (calls: SubscriptionCalls) => Promise<Subscription>, onError: (error: unknown) => void) {
    this.#subscribe = subscribe
    this.#onError = onError
  }

  add(listener: Listener): () => void {
    // A wrapper, so that one function may be added twice.
    const own: Listener = (id) => listener(id)
    this.#listeners.add(own)
    if (!this.#isClosed) this.#subscribing ??= this.#keepSubscribed()
    return () => void this.#listeners.delete(own)
  }

  /** Makes the subscription again. */
  reconnect(): void {
    this.#end()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    this.#end()
    await this.#subscribing
  }

  async #keepSubscribed(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#useSubscription()
      } catch (error) {
        this.#onError(error)
      }
      await this.#isEndedWithin(RETRY_DELAY_MS)
    }
  }

  /** Subscribes, and resolves when the subscription has ended; fails when the server does not answer. */
  async #useSubscription(): Promise<void> {
    let isOpen = false
    // A connection that is already given up may be lost later.
    const onLost = (): void => void (isOpen && this.#end())
    const subscription = await this.#subscribe({ notify: (id) => this.#notify(id), onLost })
    isOpen = true
    try {
      // A chat may have changed before the subscription was made.
      this.#notify(null)
      while (!(await this.#isEndedWithin(RENEWAL_INTERVAL_MS))) {
        await answeredWithin(RENEWAL_INTERVAL_MS / 1000, subscription.renew())
      }
    } finally {
      isOpen = false
      this.#notify(null)
      await subscription.close()
    }
  }

  /** Waits for a time; returns true at once when the subscription ends, or the listeners are closed. */
  async #isEndedWithin(delayMs: number): Promise<boolean> {
    if (this.#isClosed) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), delayMs)
    this.#end = () => resolve(true)
    const isEnded = await promise
    clearTimeout(timer)
    return isEnded
  }

  #notify(id: string | null): void {
    for (const listener of [...this.#listeners]) listener(id)
  }
}
