import type { Incoming } from './incoming.ts'

/** Makes the part of a `Response` that SDKs read; its body is an async iterable of bytes and no WHATWG stream. */
export function createLeanResponse(incoming: Incoming, url: string): Response {
  const { status, statusText, headers } = incoming
  const body = decoded(incoming)
  const text = async (): Promise<string> => {
    const decoder = new TextDecoder()
    let read = ''
    for await (const chunk of body) read += decoder.decode(chunk, { stream: true })
    return read + decoder.decode()
  }
  const response = {
    status,
    statusText,
    ok: status >= 200 && status < 300,
    redirected: false,
    type: 'basic',
    url,
    headers: createLeanHeaders(headers),
    body: {
      [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
      // What SDKs call on a body that nobody reads.
      cancel: async () => void (await incoming.return?.()),
      locked: false,
    },
    text,
    json: async () => JSON.parse(await text()) as unknown,
  }
  return response as unknown as Response
}

/** Servers compress only if they are asked to, which the transport does not; some do all the same. */
function decoded(incoming: Incoming): AsyncIterable<Uint8Array> {
  const encoding = incoming.headers.get('content-encoding')
  const decoder = encoding === undefined ? undefined : decoderOf(encoding)
  if (!decoder) return incoming
  const { Readable, pipeline } = process.getBuiltinModule('node:stream')
  // A failure of either side reaches whoever reads the decoder.
  pipeline(Readable.from(incoming), decoder, () => {})
  return decoder as unknown as AsyncIterable<Uint8Array>
}

/** As browsers do, it gives all that can be decompressed of a body that was cut off: whoever reads that tells whether it is whole. */
function decoderOf(encoding: string): NodeJS.ReadWriteStream | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  const name = encoding.trim().toLowerCase()
  if (name === 'br') {
    return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
  }
  const options = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip(options)
  return name === 'deflate' ? zlib.createInflate(options) : undefined
}

/** The part of `Headers` that SDKs read. */
function createLeanHeaders(headers: ReadonlyMap<string, string>): Headers {
  const lean = {
    get: (name: string) => headers.get(name.toLowerCase()) ?? null,
    has: (name: string) => headers.has(name.toLowerCase()),
    entries: () => headers.entries(),
    keys: () => headers.keys(),
    values: () => headers.values(),
    forEach: (call: (value: string, name: string) => void) => headers.forEach((value, name) => call(value, name)),
    [Symbol.iterator]: () => headers.entries(),
  }
  return lean as unknown as Headers
}
