import type { ConfigEntry } from '@x/interfaces'
import { secretsOf } from '@x/kernel/redact'
import { withHeaders } from '../http/headers.ts'
import { readFrames, readJson, requireSuccess } from '../http/read-response.ts'
import { createTransport } from '../http/transport.ts'
import type { LoweredRequest, Wire, WireCall } from './dialect.ts'

/** Endpoint, key and format of plain HTTP requests. */
export interface HttpWireInit {
  readonly config: ConfigEntry
  /** Returns the URL of a request. */
  readonly url: (request: LoweredRequest, stream: boolean) => string
  /** Returns the headers with the key. */
  readonly authorize: (key: string) => Record<string, string>
  /** Returns a key from the environment, for a config without a key. */
  readonly environmentKey?: (() => string | undefined) | undefined
  /** Form of a stream: server-sent events, or newline-delimited JSON; default `sse`. */
  readonly format?: 'sse' | 'ndjson' | undefined
  /** Returns the body of a request for a stream; default: the same body. */
  readonly streamed?: ((body: Readonly<Record<string, unknown>>) => object) | undefined
  /** Sends the requests if the config has no `fetch`; default: a lean transport. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Media types of streams by their format. */
const STREAM_TYPES = { sse: 'text/event-stream', ndjson: 'application/x-ndjson' }

/** Creates a `Wire` for plain HTTP: it sends JSON and receives JSON, server-sent events or newline-delimited JSON. */
export function createHttpWire(init: HttpWireInit): Wire {
  const { config, format = 'sse', streamed = (body) => body } = init
  const isGiven = !config.fetch && init.fetch !== undefined
  const fetch = isGiven ? init.fetch : createTransport(config.fetch)
  const secrets = secretsOf(config)

  const send = async (request: LoweredRequest, stream: boolean, call: WireCall): Promise<Response> => {
    call.begin?.()
    const key = (await readKey(config.apiKey || init.environmentKey?.()))?.trim()
    if (key) secrets.add(key)
    const options = {
      method: 'POST',
      headers: withHeaders(
        {
          'content-type': 'application/json',
          accept: stream ? STREAM_TYPES[format] : 'application/json',
          ...(key && withHeaders(init.authorize(key), {})),
          ...withHeaders(config.defaultHeaders ?? {}, {}),
        },
        request.headers,
      ),
      body: JSON.stringify(stream ? streamed(request.body) : request.body),
    }
    // A `fetch` that is given may be any: it gets plain options.
    const own = isGiven ? undefined : call.initFor?.(options)
    const response = await fetch(init.url(request, stream), own ?? { ...options, signal: call.signal })
    const success = await requireSuccess(response, config)
    call.onHeaders?.(success.headers)
    return success
  }

  return {
    secrets,
    url: init.url({ model: config.model ?? '', body: {} }, false),
    complete: async (request, call) => await readJson(await send(request, false, call), config),
    stream: async (request, call) => readFrames(await send(request, true, call), { format, limits: config }),
  }
}

/** Returns the key; a function is called for every request. */
async function readKey(key: ConfigEntry['apiKey']): Promise<string | undefined> {
  return typeof key === 'function' ? await key() : key
}
