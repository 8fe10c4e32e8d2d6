import type { Agent as HttpAgent, IncomingMessage, RequestOptions } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import { abortedError } from './aborted-error.ts'
import { isPlainPlatform } from './platform-fetch.ts'
import { createLeanResponse } from './lean-response.ts'

/** The part of `fetch` that SDKs use. */
type Fetch = typeof globalThis.fetch

/** What a transport takes from outside. */
export interface TransportOptions {
  /** What a request goes to that the transport does not serve itself; default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined
}

/**
 * Makes a `fetch` for the SDKs that costs a quarter of the platform's: `node:http` with connections kept open, no WHATWG
 * streams. Whatever it does not know (redirects, other bodies, proxies or dispatchers that were set up, a `fetch` that
 * was replaced, another runtime) it leaves to the platform's.
 */
export function createTransport({ fetch }: TransportOptions = {}): Fetch {
  const platform: Fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
  let agents: Agents | undefined
  return async (input, init = {}) => {
    const { body, signal } = init
    const url = input instanceof Request ? undefined : new URL(input)
    const served = typeof body === 'string' && url && /^https?:$/u.test(url.protocol) && !('dispatcher' in init)
    if (!served || fetch || !isPlainPlatform()) return await platform(input, init)
    agents ??= createAgents()
    const response = await sent(agents, url, init, body)
    if (response.statusCode! >= 300 && response.statusCode! < 400 && response.headers.location) {
      response.destroy()
      return await platform(input, init)
    }
    return createLeanResponse(response, url.href, signal ?? undefined)
  }
}

interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

function createAgents(): Agents {
  const options = { keepAlive: true, noDelay: true }
  return {
    http: new (process.getBuiltinModule('node:http').Agent)(options),
    https: new (process.getBuiltinModule('node:https').Agent)(options),
  }
}

/** Sends a request and gives the response when its headers are there; on a kept connection that breaks, once more. */
async function sent(agents: Agents, url: URL, init: RequestInit, body: string): Promise<IncomingMessage> {
  try {
    return await sentOnce(agents, url, init, body)
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error
    return await sentOnce(agents, url, init, body)
  }
}

/** The server closed a kept connection while the request was on its way: nothing was answered. */
class StaleConnection extends TypeError {}

function sentOnce(agents: Agents, url: URL, init: RequestInit, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { signal } = init
    if (signal?.aborted) return reject(abortedError())
    const secure = url.protocol === 'https:'
    const options: RequestOptions = {
      method: init.method ?? 'POST',
      headers: headersOf(init, body),
      agent: secure ? agents.https : agents.http,
    }
    const request = process.getBuiltinModule(secure ? 'node:https' : 'node:http').request(url, options)
    const abort = (): void => void request.destroy(abortedError())
    signal?.addEventListener('abort', abort)
    request.on('response', (response) => {
      signal?.removeEventListener('abort', abort)
      resolve(response)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      signal?.removeEventListener('abort', abort)
      const stale = request.reusedSocket && error.code === 'ECONNRESET' && !signal?.aborted
      const Failed = stale ? StaleConnection : TypeError
      reject(error.name === 'AbortError' ? error : new Failed('fetch failed', { cause: error }))
    })
    request.end(body)
  })
}

function headersOf({ headers }: RequestInit, body: string): Record<string, string | number> {
  const out: Record<string, string | number> = { 'content-length': Buffer.byteLength(body) }
  for (const [name, value] of headers instanceof Headers ? headers : new Headers(headers)) out[name] = value
  return out
}
