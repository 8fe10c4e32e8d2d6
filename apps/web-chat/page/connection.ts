import type { Change } from '../src/change.ts'

/** Why the server does not show a chat: the token is of an earlier start, there is no such chat, or too many pages watch. */
export type Refusal = 'token' | 'missing' | 'full'

/** What the page is told about its connection. */
export interface ConnectionState {
  /** A line about what has just gone wrong; empty when all is well. */
  say(line: string): void
  refuse(why: Refusal): void
}

const REFUSALS: Readonly<Partial<Record<number, Refusal>>> = { 401: 'token', 404: 'missing', 503: 'full' }

/** Milliseconds for which changes are collected before they are drawn. */
const DRAW_DELAY_MS = 16

/** Milliseconds before a stream that was refused without a reason is asked for again. */
const RETRY_MS = 1000

/** The server, as this page reaches it. */
export class Connection {
  /** Token of this page. It stands behind the `#` of the URL, which browsers do not send. */
  readonly token = location.hash.slice(1)
  readonly #state: ConnectionState

  constructor(state: ConnectionState) {
    this.#state = state
  }

  /** Returns the path of a chat. */
  addressOf(chat: string): string {
    return `/chats/${chat}#${this.token}`
  }

  /** Sends a post; returns the answer, or null after saying why it was refused. */
  async post<T = object>(path: string, body: object): Promise<T | null> {
    try {
      const response = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.token}` },
        body: JSON.stringify(body),
      })
      const answer = (response.status === 204 ? {} : await response.json()) as T & { readonly error?: string }
      if (response.status === 401) this.#state.refuse('token')
      else this.#state.say(response.ok ? '' : (answer.error ?? 'The server failed.'))
      return response.ok ? answer : null
    } catch {
      this.#state.say('The server cannot be reached.')
      return null
    }
  }

  /** Reads a file of a chat; returns null after saying why it cannot be read. */
  async load(path: string): Promise<Blob | null> {
    try {
      const response = await fetch(path, { headers: { authorization: `Bearer ${this.token}` } })
      if (response.ok) return await response.blob()
      this.#state.say('The file is no longer there.')
    } catch {
      this.#state.say('The server cannot be reached.')
    }
    return null
  }

  /** Listens to a chat until the returned function is called. */
  watch(chat: string, onChanges: (changes: readonly Change[]) => void): () => void {
    const address = `/events?chat=${chat}&token=${encodeURIComponent(this.token)}`
    const stop = new AbortController()
    const { signal } = stop
    let waiting: Change[] = []
    const draw = (): void => {
      const changes = waiting
      waiting = []
      if (!signal.aborted) onChanges(changes)
    }
    const listen = (): void => {
      if (signal.aborted) return
      const events = new EventSource(address)
      signal.addEventListener('abort', () => events.close())
      events.addEventListener('message', ({ data }: MessageEvent<string>) => {
        if (waiting.push(JSON.parse(data) as Change) === 1) setTimeout(draw, DRAW_DELAY_MS)
      })
      events.addEventListener('open', () => this.#state.say(''))
      events.addEventListener('error', () => {
        this.#state.say('The connection is gone; trying again.')
        if (events.readyState === EventSource.CLOSED) void this.#askWhy(address, signal, listen)
      })
    }
    listen()
    return () => stop.abort()
  }

  /**
   * Refuses a chat if the server does, and listens again if something between has answered, such as a proxy while the server
   * starts anew. A stream of events does not tell why it was refused; a request does.
   */
  async #askWhy(address: string, signal: AbortSignal, listen: () => void): Promise<void> {
    const stop = new AbortController()
    try {
      const { status, headers } = await fetch(address, { signal: AbortSignal.any([signal, stop.signal]) })
      const why = headers.get('content-type') === 'application/json' ? REFUSALS[status] : undefined
      if (why) {
        this.#state.refuse(why)
        return
      }
    } catch {
      // The server cannot be reached.
    } finally {
      stop.abort()
    }
    setTimeout(listen, RETRY_MS)
  }
}
