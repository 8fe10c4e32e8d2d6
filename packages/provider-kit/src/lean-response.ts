import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { abortedError } from './aborted-error.ts'

/**
 * Makes the part of a `Response` that SDKs read: status, headers, `text`, `json`, and a body of bytes that is an async
 * iterable and not a WHATWG stream.
 */
export function createLeanResponse(message: IncomingMessage, url: string, signal: AbortSignal | undefined): Response {
  const body = decoded(message)
  const abort = (): void => void message.destroy(abortedError())
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  message.on('close', () => signal?.removeEventListener('abort', abort))
  // An error nobody reads must not end the process; whoever reads gets it from the iterator.
  message.on('error', () => {})
  const status = message.statusCode!
  const text = async (): Promise<string> => {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk as Uint8Array)
    return Buffer.concat(chunks).toString('utf8')
  }
  const response = {
    status,
    statusText: message.statusMessage ?? '',
    ok: status >= 200 && status < 300,
    redirected: false,
    type: 'basic',
    url,
    headers: createLeanHeaders(message.headers),
    body: bodyOf(body, message),
    text,
    json: async () => JSON.parse(await text()) as unknown,
    arrayBuffer: async () => new TextEncoder().encode(await text()).buffer,
  }
  return response as unknown as Response
}

/** The body as SDKs take it; `cancel` is what they call on one that nobody reads. */
function bodyOf(body: Readable, message: IncomingMessage): object {
  return {
    [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
    cancel: async () => void message.destroy(),
    locked: false,
  }
}

/** Servers compress only if they are asked to, which this transport does not; some do all the same. */
function decoded(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding']
  if (!encoding || encoding === 'identity') return message
  const zlib = process.getBuiltinModule('node:zlib')
  const decoders: Record<string, () => NodeJS.ReadWriteStream> = {
    gzip: () => zlib.createGunzip(),
    'x-gzip': () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
  }
  const decoder = decoders[encoding]?.()
  if (!decoder) return message
  message.on('error', (error) => (decoder as unknown as Readable).destroy(error))
  return message.pipe(decoder) as unknown as Readable
}

/** The part of `Headers` that SDKs read; names are lower case as `node:http` gives them. */
function createLeanHeaders(headers: IncomingHttpHeaders): Headers {
  const value = (name: string): string | null => {
    const found = headers[name.toLowerCase()]
    return Array.isArray(found) ? found.join(', ') : (found ?? null)
  }
  const entries = (): MapIterator<[string, string]> =>
    new Map(Object.keys(headers).map((name): [string, string] => [name, value(name) ?? ''])).entries()
  const lean = {
    get: value,
    has: (name: string) => value(name) !== null,
    entries,
    keys: () => Object.keys(headers).values(),
    values: () => [...entries()].map(([, each]) => each).values(),
    forEach: (call: (each: string, name: string) => void) => {
      for (const [name, each] of entries()) call(each, name)
    },
    [Symbol.iterator]: entries,
  }
  return lean as unknown as Headers
}
