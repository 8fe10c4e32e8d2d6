import { abortable, throwIfAborted } from '@x/kernel/abort'
import { failureOf, reachOf, type Reach } from './failure.ts'
import { connectionClosed, openLink, type Link, type LinkSettings } from './link.ts'

/** A request to a server. */
export interface ServerRequest<T> {
  /** What is attempted, as in: list the tools. */
  readonly what: string
  /** Whether it may be sent again where it may have been executed. */
  readonly repeatable: boolean
  readonly signal?: AbortSignal | undefined
  readonly send: (link: Link) => Promise<T>
}

/**
 * Keeps one connection to a server, and makes it anew when it is needed and has ended. A request that was not executed is
 * sent once more; one that may have been executed is not, unless it is repeatable.
 */
export class Connector {
  readonly #server: string
  readonly #settings: LinkSettings
  readonly #secrets: readonly string[]
  readonly #onReopen: () => void
  readonly #ending = new Set<Promise<void>>()
  /** Fires when it is closed, and stops what is being opened. */
  readonly #stop = new AbortController()
  #opening: Promise<Link> | undefined
  #link: Link | undefined
  #isOld = false
  #opened = false
  #closed = false

  constructor(server: string, settings: LinkSettings, secrets: readonly string[], onReopen: () => void) {
    this.#server = server
    this.#settings = settings
    this.#secrets = secrets
    this.#onReopen = onReopen
  }

  /** The connection as it was last made; undefined before the first. */
  get link(): Link | undefined {
    return this.#link
  }

  /** Sends a request; errors are `XError`s. */
  async request<T>({ what, repeatable, signal, send }: ServerRequest<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(signal)
      let link: Link | undefined
      try {
        link = await abortable(this.#current(), signal)
        return await send(link)
      } catch (error) {
        throwIfAborted(signal)
        const reach: Reach = link ? reachOf(error, link.hasSession) : connectReach(error)
        if (link && (reach === 'lost-session' || reach === 'not-run')) this.#leave(link)
        // Where there never was a connection, one more attempt says the same.
        const worth = this.#opened && !this.#closed
        const again = reach === 'not-run' || reach === 'lost-session' || (reach === 'unknown' && repeatable)
        if (attempt === 1 && again && worth) continue
        const words = link?.lastWords ?? (error as { lastWords?: string } | null)?.lastWords
        throw failureOf(error, { what, reach, server: this.#server, secrets: this.#secrets, lastWords: words })
      }
    }
  }

  /** Ends the connection, and waits until nothing of it is left. */
  async close(): Promise<void> {
    this.#closed = true
    this.#stop.abort(connectionClosed(this.#server))
    const link = await this.#opening?.catch(() => undefined)
    await Promise.all([this.#link?.close(), link?.close(), ...this.#ending])
  }

  async #current(): Promise<Link> {
    if (this.#closed) throw connectionClosed(this.#server)
    if (this.#link && !this.#link.closed) return this.#link
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return await this.#opening
  }

  async #open(): Promise<Link> {
    const before = this.#link
    if (before) this.#leave(before)
    try {
      const link = await openLink(this.#settings, this.#isOld, this.#stop.signal)
      if (this.#opened) this.#onReopen()
      this.#opened = true
      this.#link = link
      this.#isOld = link.isOld
      return link
    } catch (error) {
      // The next one may be a newer server.
      this.#isOld = false
      throw error
    }
  }

  #leave(link: Link): void {
    if (this.#link === link) this.#link = undefined
    const ending = link.close().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }
}

/** A request whose connection could not be made was not executed; a refusal will not change by asking again. */
const connectReach = (error: unknown): Reach => (reachOf(error, false) === 'final' ? 'final' : 'not-run')
