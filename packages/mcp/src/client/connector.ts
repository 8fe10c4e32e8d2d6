import { abortable, throwIfAborted } from '@x/kernel/abort'
import { createFailure, findReach, type Reach } from './failure.ts'
import { connectionClosed, openLink, type Link, type LinkSettings } from './link.ts'

/** A request to a server. */
interface ServerRequest<T> {
  /** The attempt in words, for errors: `list the tools`. */
  readonly what: string
  /** True if the request may be sent again even if it was executed. */
  readonly repeatable: boolean
  readonly signal?: AbortSignal | undefined
  readonly send: (link: Link) => Promise<T>
}

/**
 * Keeps one connection to a server, and reconnects on demand. A request that was not executed is retried once; a request
 * that may have been executed is retried only if it is repeatable.
 */
export class Connector {
  readonly #server: string
  readonly #settings: LinkSettings
  readonly #secrets: ReadonlySet<string>
  readonly #onReopen: () => void
  readonly #ending = new Set<Promise<void>>()
  /** Fires on `close`, and stops an attempt to connect. */
  readonly #stop = new AbortController()
  #opening: Promise<Link> | undefined
  #link: Link | undefined
  #isOld = false
  #opened = false
  #closed = false

  constructor(server: string, settings: LinkSettings, secrets: ReadonlySet<string>, onReopen: () => void) {
    this.#server = server
    this.#settings = settings
    this.#secrets = secrets
    this.#onReopen = onReopen
  }

  /** The last connection; undefined before the first. */
  get link(): Link | undefined {
    return this.#link
  }

  /** Sends a request; throws `XError`s only. */
  async request<T>({ what, repeatable, signal, send }: ServerRequest<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(signal)
      let link: Link | undefined
      try {
        link = await abortable(this.#current(), signal)
        return await send(link)
      } catch (error) {
        throwIfAborted(signal)
        const reach: Reach = link ? findReach(error, link.hasSession) : findConnectReach(error)
        if (link && (reach === 'lost-session' || reach === 'not-run')) this.#leave(link)
        // A server that was never reached would fail again.
        const canReconnect = this.#opened && !this.#closed
        const mayRetry = reach === 'not-run' || reach === 'lost-session' || (reach === 'unknown' && repeatable)
        if (attempt === 1 && mayRetry && canReconnect) continue
        const exitReport = link?.exitReport ?? (error as { exitReport?: string } | null)?.exitReport
        throw createFailure(error, { what, reach, server: this.#server, secrets: this.#secrets, exitReport })
      }
    }
  }

  /** Ends the connection; resolves when all its resources are released. */
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
      // The next server at this address may be newer.
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

/** Returns the reach of a request without a connection: it was not executed, and a refusal is final. */
const findConnectReach = (error: unknown): Reach => (findReach(error, false) === 'final' ? 'final' : 'not-run')
