import { XError } from '@x/kernel'
import { withTimeout } from '../platform.ts'

/** Options of {@link Renewals}. */
interface RenewalOptions {
  /** Duration of a claim, in seconds. */
  readonly lease: number
  /** Renews the claims of the worker, or asks the store for something else while there are none. */
  readonly renew: () => Promise<void>
  /** Makes the connections to the store again, and resolves when a new one can write; undefined if there are none. */
  readonly reconnect: (() => Promise<void>) | undefined
  readonly onError: (error: unknown) => void
  /** Called when the connections are made again. */
  readonly onReconnect: () => void
  /** The milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** How a renewal ended: the store has answered, with an error or without, or not. */
type RenewalEnd = 'renewed' | 'failed' | 'silent'

/** Part of a lease after which the claims are renewed again: one renewal that fails, or is silent, loses no claim. */
const RENEWALS_PER_LEASE = 3
/** Part of a lease within which a renewal has to be answered, so that another one follows before the lease ends. */
const ANSWERS_PER_LEASE = 4
/** Time that every renewal has, also with a shorter lease, because a busy process hears late. */
const MIN_ANSWER_S = 1

/** Identifier of a chat that nobody submits: reading it tells whether a store answers. */
export const PROBE_ID = 'health'

/**
 * Renews the claims of a worker, and notices a store that does not answer: a connection that was lost without a sign stays
 * silent for ever. The connections are made again after a renewal without an answer, or after a lease of renewals that fail.
 */
export class Renewals {
  readonly #options: RenewalOptions
  /** Time of the last renewal, or of the start. */
  #renewedAt: number
  #reconnectedAt: number
  /** Time since which a new connection can write and no renewal has succeeded. */
  #writableSince: number | null = null
  #isReconnecting = false

  constructor(options: RenewalOptions) {
    this.#options = options
    this.#renewedAt = this.#reconnectedAt = options.now()
  }

  /** Seconds from one renewal to the next. */
  get interval(): number {
    return this.#options.lease / RENEWALS_PER_LEASE
  }

  /** Seconds without a renewal if it is at least a lease: other workers may take the chats over; else null. */
  get silence(): number | null {
    const { lease, now } = this.#options
    const seconds = (now() - this.#renewedAt) / 1000
    return seconds >= lease ? seconds : null
  }

  /** True if a new process could do what this one cannot: for a lease, a new connection can write and no renewal has succeeded. */
  get isStuck(): boolean {
    const { lease, now } = this.#options
    return this.#writableSince !== null && now() - this.#writableSince >= lease * 1000
  }

  /** Renews once, or twice if the first one had no answer. */
  async renew(): Promise<void> {
    const { lease, now, onError } = this.#options
    const end = await this.#attempt()
    const isSilent = end === 'silent'
    const isDue = end === 'failed' && this.silence !== null && now() - this.#reconnectedAt >= lease * 1000
    if (!isSilent && !isDue) return
    onError(this.#error())
    this.#reconnect()
    await this.#attempt()
  }

  #error(): XError {
    const { now, reconnect } = this.#options
    const seconds = Math.round((now() - this.#renewedAt) / 100) / 10
    const measure = reconnect ? ', and makes its connections again' : ''
    const consequence = this.silence === null ? '' : '; other workers may take its chats over'
    const problem = `the worker could not renew its claims for ${seconds} seconds${measure}${consequence}`
    return new XError('connection-failed', problem)
  }

  async #attempt(): Promise<RenewalEnd> {
    const { lease, renew, onError, now } = this.#options
    let isSilent = true
    const ask = async (): Promise<void> => {
      try {
        await renew()
      } finally {
        isSilent = false
      }
    }
    try {
      await withTimeout(ask, Math.max(lease / ANSWERS_PER_LEASE, MIN_ANSWER_S))
      this.#renewedAt = now()
      this.#writableSince = null
      return 'renewed'
    } catch (error) {
      if (isSilent) return 'silent'
      onError(error)
      return 'failed'
    }
  }

  /** Makes the connections again. Renewals do not wait for it. */
  #reconnect(): void {
    const { reconnect, onReconnect, now } = this.#options
    this.#reconnectedAt = now()
    if (!reconnect || this.#isReconnecting) return
    onReconnect()
    void this.#noteWritable(reconnect)
  }

  /** Notes since when a new connection can write. */
  async #noteWritable(reconnect: () => Promise<void>): Promise<void> {
    const { onError, now } = this.#options
    this.#isReconnecting = true
    try {
      await reconnect()
      this.#writableSince ??= now()
    } catch (error) {
      this.#writableSince = null
      onError(error)
    } finally {
      this.#isReconnecting = false
    }
  }
}
