import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { XError } from '@x/kernel'
import { setTimeout } from 'node:timers/promises'

/** A Jupyter server by its REST API. */
export interface JupyterServer {
  /** Asks for something and gives the answer as JSON; fails with words for any status but success. */
  call(method: string, path: string, body?: unknown): Promise<unknown>
  /** Asks for something and gives the status of the answer alone. */
  status(method: string, path: string): Promise<number>
  /** Address of the messages of a kernel. */
  channels(kernel: string, session: string): string
  /** Headers that show who asks. */
  readonly headers: Readonly<Record<string, string>>
}

/** Seconds that an answer may take; a kernel that does not end by itself is ended after five. */
const ANSWER_TIMEOUT_S = 20

interface Answer {
  readonly status: number
  readonly body: string
}

/** Speaks to the Jupyter server at an address. */
export function jupyterServerAt(address: string, token: string | undefined): JupyterServer {
  const base = baseOf(address)
  const headers = token === undefined ? {} : { authorization: `token ${token}` }
  const request = base.protocol === 'https:' ? requestHttps : requestHttp
  const ask = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const sent = body === undefined ? '' : JSON.stringify(body)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const asked = request(
      new URL(path, base),
      {
        method,
        agent: false,
        timeout: ANSWER_TIMEOUT_S * 1000,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) },
      },
      (response) => {
        text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject)
      },
    )
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_S} s`)))
    asked.on('error', reject)
    asked.end(sent)
    return await promise.catch((error: unknown) => {
      const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      throw new Error(`the Jupyter server at ${base.href} does not answer (${why}): start it, or correct \`url\``)
    })
  }
  return {
    headers,
    call: async (method, path, body) => jsonOf(await ask(method, path, body), `${method} ${path}`, base),
    status: async (method, path) => (await ask(method, path)).status,
    channels(kernel, session) {
      const at = new URL(`api/kernels/${encodeURIComponent(kernel)}/channels`, base)
      at.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:'
      at.searchParams.set('session_id', session)
      return at.href
    },
  }
}

/** Reads an address; a token in it is left out, since addresses are told in errors. */
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

function jsonOf({ status, body }: Answer, what: string, base: URL): unknown {
  if (status === 401 || status === 403) {
    throw new Error(`the Jupyter server at ${base.href} refuses ${what} (status ${status}): correct \`token\``)
  }
  let json: unknown
  try {
    json = body === '' ? null : JSON.parse(body)
  } catch {
    json = undefined
  }
  if (status >= 200 && status < 300 && json !== undefined) return json
  const { message } = (json ?? {}) as { message?: unknown }
  const said = typeof message === 'string' ? `: ${message.slice(0, 500)}` : ''
  throw new Error(`the Jupyter server at ${base.href} answered ${what} with status ${status}${said}`)
}

/** Milliseconds after which the server is asked again. */
const DELETE_RETRY_DELAY_MS = 200

/** How often the server is asked. */
const MAX_DELETE_ATTEMPTS = 100

/**
 * Ends a session of a server, and its kernel. A server that is starting a kernel anew, because it died, refuses to end it
 * with a status of 500, and is asked again. Never fails: a server that does not answer tells so when it is asked for a
 * kernel, and another client may have ended the session.
 */
export async function endSession(server: JupyterServer, session: string): Promise<void> {
  for (let tries = 0; tries < MAX_DELETE_ATTEMPTS; tries++) {
    const status = await server.status('DELETE', `api/sessions/${encodeURIComponent(session)}`).catch(() => 0)
    if (status < 500) return
    await setTimeout(DELETE_RETRY_DELAY_MS)
  }
}
