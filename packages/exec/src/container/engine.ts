import { request, type IncomingMessage } from 'node:http'
import { XError } from '@x/kernel'
import type { OutputChunk } from '../run/job.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Answer of an engine: its status, and its body as JSON or text. */
export interface EngineAnswer {
  readonly status: number
  readonly body: unknown
}

/** Docker or Podman engine behind its HTTP socket. */
export interface Engine {
  /** Sends a request and reads the whole answer; fails with `no-sandbox` if the engine cannot be reached. */
  call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<EngineAnswer>
  /** Sends a request and returns the answer as a stream. */
  stream(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<IncomingMessage>
}

/** Bytes of the longest answer that is read whole. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20

/** Returns the engine that listens on a Unix socket. */
export function engineAt(socketPath: string): Engine {
  const stream: Engine['stream'] = (method, path, body, signal) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const clientRequest = request(
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
      clientRequest.on('error', (error) =>
        reject(
          signal?.aborted
            ? error
            : new XError(
                'no-sandbox',
                `cannot reach the container engine at \`${socketPath}\`: start the engine and try again`,
                {
                  cause: error,
                },
              ),
        ),
      )
      clientRequest.end(text)
    })
  return {
    stream,
    async call(method, path, body, signal) {
      const response = await stream(method, path, body, signal)
      const text = await readText(response, socketPath)
      return { status: response.statusCode ?? 0, body: parseBody(text) }
    },
  }
}

async function readText(response: IncomingMessage, socketPath: string): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length
      if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
      parts.push(part)
    }
  } catch (error) {
    throw new XError(
      'no-sandbox',
      `cannot read the answer of the container engine at \`${socketPath}\`: it broke off. Look at its log`,
      {
        cause: error,
      },
    )
  }
  return Buffer.concat(parts).toString()
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Returns the reason of a failure in the words of the engine. */
export function engineMessage({ status, body }: EngineAnswer): string {
  const message = typeof body === 'object' && body !== null ? (body as { message?: unknown }).message : body
  return `status ${status}${typeof message === 'string' && message !== '' ? `: ${message.trim().slice(0, 500)}` : ''}`
}

/**
 * Returns a function that splits the multiplexed output of an engine, and takes each piece as it arrives, cut anywhere. A frame
 * is a byte for the stream, three zero bytes, four bytes of length, and the data.
 */
export function frameReader(
  onData: (stream: OutputChunk['stream'], data: Uint8Array) => void,
): (piece: Uint8Array) => void {
  let header = Buffer.alloc(0)
  let stream: OutputChunk['stream'] = 'stdout'
  let bytesLeft = 0
  return (piece) => {
    let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    while (rest.length > 0) {
      if (bytesLeft > 0) {
        const data = rest.subarray(0, bytesLeft)
        onData(stream, data)
        bytesLeft -= data.length
        rest = rest.subarray(data.length)
        continue
      }
      const missing = 8 - header.length
      header = Buffer.concat([header, rest.subarray(0, missing)])
      rest = rest.subarray(missing)
      if (header.length < 8) return
      stream = header[0] === 2 ? 'stderr' : 'stdout'
      bytesLeft = header.readUInt32BE(4)
      header = Buffer.alloc(0)
    }
  }
}

/** Returns the sockets of engines, best first: only that of `DOCKER_HOST` if it is set, else the usual paths that exist. */
export function engineSockets(env: Readonly<Record<string, string | undefined>>): string[] {
  const dockerHost = env['DOCKER_HOST']
  if (dockerHost !== undefined && dockerHost !== '')
    return dockerHost.startsWith('unix://') ? [dockerHost.slice('unix://'.length)] : []
  const runtime = env['XDG_RUNTIME_DIR']
  const home = env['HOME']
  return [
    '/var/run/docker.sock',
    ...(runtime === undefined ? [] : [join(runtime, 'docker.sock'), join(runtime, 'podman/podman.sock')]),
    '/run/podman/podman.sock',
    ...(home === undefined ? [] : [join(home, '.docker/run/docker.sock')]),
  ].filter((path) => existsSync(path))
}
