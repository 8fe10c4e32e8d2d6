import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { HttpFailure } from './http-failure.ts'

/**
 * Admits only requests from the page of this server: to its own name (`Host`, against DNS rebinding), from its own pages
 * (`Origin`, against other sites in the same browser), and with the token of this start.
 */
export class Gate {
  readonly #token: Buffer
  /** Addresses of the page, by the names of the server in them. */
  readonly #origins: ReadonlyMap<string, string>

  /** `origins` are the addresses of the page in browsers. */
  constructor(token: string, origins: readonly string[]) {
    this.#token = digest(token)
    this.#origins = new Map(origins.map((origin) => [new URL(origin).host, origin]))
  }

  /** Refuses a request to another name or from another site. */
  checkOrigin({ headers, method }: IncomingMessage): void {
    const { host = '', origin } = headers
    const own = this.#origins.get(host)
    if (own === undefined) throw new HttpFailure(403, 'this server does not have that name')
    const same = origin === undefined ? method === 'GET' : origin === own
    const site = headers['sec-fetch-site']
    if (!same || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
      throw new HttpFailure(403, 'the request comes from another site')
    }
  }

  /** Refuses a request without the token; a stream of events sends it in the URL, because it cannot send headers. */
  checkToken({ headers }: IncomingMessage, { searchParams }: URL): void {
    const token = /^Bearer (.+)$/u.exec(headers.authorization ?? '')?.[1] ?? searchParams.get('token') ?? ''
    if (!timingSafeEqual(digest(token), this.#token)) {
      throw new HttpFailure(401, 'the token is missing or of an earlier start', { 'www-authenticate': 'Bearer' })
    }
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
