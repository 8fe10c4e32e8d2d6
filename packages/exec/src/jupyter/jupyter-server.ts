import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { XError } from '@x/kernel'
import { setTimeout } from 'node:timers/promises'

/** Client of the REST API of a Jupyter server. */
export interface JupyterServer {
  /** Sends a request and returns the answer as JSON; fails for any status but success. */
  call(method: string, path: string, body?: unknown): Promise<unknown>
  /** Sends a request and returns only the status of the answer. */
  status(method: string, path: string): Promise<number>
  /** Returns the WebSocket address of the messages of a kernel. */
  channels(kernel: string, session: string): string
  /** Headers that authorize requests. */
  readonly headers: Readonly<Record<string, string>>
}

/** Seconds that an answer may take. The server kills a kernel that does not end within five seconds. */
const ANSWER_TIMEOUT_S = 20

interface Answer {
  readonly status: number
  readonly body: string
}

/** Returns a client for the Jupyter server at an address. */
export function jupyterServerAt(address: string, token: string | undefined): JupyterServer {
  const base = baseOf(address)
  const headers = token === undefined ? {} : { authorization: `token ${token}` }
  const startRequest = base.protocol === 'https:' ? requestHttps : requestHttp
  const sendRequest = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const payload = body === undefined ? '' : JSON.stringify(body)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const request = startRequest(
      new URL(path, base),
      {
        method,
        agent: false,
        timeout: ANSWER_TIMEOUT_S * 1000,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
      },
      (response) => {
        text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject)
      },
    )
    request.on('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_S} s`)))
    request.on('error', reject)
    request.end(payload)
    return await promise.catch((error: unknown) => {
      const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      throw new Error(`the Jupyter server at ${base.href} does not answer (${why}): start it, or correct \`url\``)
    })
  }
  return {
    headers,
    call: async (method, path, body) => parseAnswer(await sendRequest(method, path, body), `${method} ${path}`, base),
    status: async (method, path) => (await sendRequest(method, path)).status,
    channels(kernel, session) {
      const at = new URL(`api/kernels/${encodeURIComponent(kernel)}/channels`, base)
      at.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:'
      at.searchParams.set('session_id', session)
      return at.href
    },
  }
}

/** Parses an address. Drops a token in it, since errors show the address. */
function baseOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new XError(
      'invalid-argument',
      'cannot reach a Jupyter server: `url` must be an address such as `http://127.0.0.1:8888/`',
    )
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/?$/u, '/')}`)
}

function parseAnswer({ status, body }: Answer, request: string, base: URL): unknown {
  if (status === 401 || status === 403) {
    throw new Error(`the Jupyter server at ${base.href} refuses ${request} (status ${status}): correct \`token\``)
  }
  let json: unknown
  try {
    json = body === '' ? null : JSON.parse(body)
  } catch {
    json = undefined
  }
  if (status >= 200 && status < 300 && json !== undefined) return json
  const { message } = (json ?? {}) as { message?: unknown }
  const detail = typeof message === 'string' ? `: ${message.slice(0, 500)}` : ''
  throw new Error(`the Jupyter server at ${base.href} answered ${request} with status ${status}${detail}`)
}

/** Milliseconds between two attempts to end a session. */
const DELETE_RETRY_DELAY_MS = 200

/** Most attempts to end a session. */
const MAX_DELETE_ATTEMPTS = 100

/**
 * Ends a session and its kernel. A server that is restarting a dead kernel refuses with status 500, so the request is retried.
 * Never fails: another client may have ended the session, and the next request for a kernel reports a server that is down.
 */
export async function endSession(server: JupyterServer, session: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_DELETE_ATTEMPTS; attempt++) {
    const status = await server.status('DELETE', `api/sessions/${encodeURIComponent(session)}`).catch(() => 0)
    if (status < 500) return
    await setTimeout(DELETE_RETRY_DELAY_MS)
  }
}
