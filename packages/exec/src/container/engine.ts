import { request, type IncomingMessage } from 'node:http'
import { XError } from '@x/kernel'

/** The answer of an engine: its status and its body as JSON or text. */
export interface EngineAnswer {
  readonly status: number
  readonly body: unknown
}

/** A Docker or Podman engine behind its HTTP socket. */
export interface Engine {
  /** One request with an answer read whole; fails with `no-sandbox` when the engine cannot be reached. */
  call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<EngineAnswer>
  /** One request whose answer is a stream. */
  stream(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<IncomingMessage>
}

/** Most bytes of an answer that is read whole. */
const MOST = 16 * 2 ** 20

/** Speaks to the engine that listens on a unix socket. */
export function engineAt(socketPath: string): Engine {
  const stream: Engine['stream'] = (method, path, body, signal) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const asked = request(
        {
          socketPath,
          method,
          path,
          headers: { host: 'engine', 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
          agent: false,
          signal,
        },
        resolve,
      )
      asked.on('error', (error) =>
        reject(
          signal?.aborted
            ? error
            : new XError(
                'no-sandbox',
                `cannot reach the container engine at \`${socketPath}\`: start it and try again`,
                {
                  cause: error,
                },
              ),
        ),
      )
      asked.end(text)
    })
  return {
    stream,
    async call(method, path, body, signal) {
      const response = await stream(method, path, body, signal)
      const text = await textOf(response, socketPath)
      return { status: response.statusCode ?? 0, body: parsed(text) }
    },
  }
}

async function textOf(response: IncomingMessage, socketPath: string): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length
      if (size > MOST) throw new Error('the answer is too long')
      parts.push(part)
    }
  } catch (error) {
    throw new XError('no-sandbox', `the container engine at \`${socketPath}\` broke off its answer: look at its log`, {
      cause: error,
    })
  }
  return Buffer.concat(parts).toString()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Gives the reason of a failure in the engine's words. */
export function engineMessage({ status, body }: EngineAnswer): string {
  const message = typeof body === 'object' && body !== null ? (body as { message?: unknown }).message : body
  return `status ${status}${typeof message === 'string' && message !== '' ? `: ${message.trim().slice(0, 500)}` : ''}`
}
