import type { ApiKey, ConfigEntry } from '@x/interfaces'
import { refusalIn, requireSuccess } from '../http/refusal.ts'
import type { LoweredRequest, Wire } from './dialect.ts'
import { readFrames, readJson } from '../http/read-response.ts'
import { secretsOf } from '../failure/secrets.ts'
import { createTransport } from '../http/transport.ts'

/** Endpoint, key and format of plain HTTP requests. */
export interface HttpWireInit {
  readonly config: ConfigEntry
  /** Returns the URL of a request. */
  readonly url: (request: LoweredRequest, stream: boolean) => string
  /** Returns the headers with the key. */
  readonly authorize: (key: string) => Record<string, string>
  /** Returns a key from the environment, for a config without a key. */
  readonly environmentKey?: (() => string | undefined) | undefined
  /** Returns the body that asks for a stream; default: the same body. */
  readonly streamed?: ((body: Readonly<Record<string, unknown>>) => object) | undefined
  /** Sends the requests if the config has no `fetch`; default: a lean transport. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Creates a `Wire` for plain HTTP: it sends JSON and receives JSON or server-sent events. */
export function createHttpWire(init: HttpWireInit): Wire {
  const { config, streamed = (body) => body } = init
  const fetch = config.fetch ?? init.fetch ?? createTransport()
  const secrets = secretsOf(config)

  const send = async (request: LoweredRequest, stream: boolean, signal: AbortSignal): Promise<Response> => {
    const key = (await keyOf(config.apiKey || init.environmentKey?.()))?.trim()
    if (key) secrets.add(key)
    const response = await fetch(init.url(request, stream), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: stream ? 'text/event-stream' : 'application/json',
        ...(key && lowered(init.authorize(key))),
        ...lowered(config.defaultHeaders),
        ...lowered(request.headers),
      },
      body: JSON.stringify(stream ? streamed(request.body) : request.body),
      signal,
    })
    return await requireSuccess(response)
  }

  return {
    secrets,
    url: init.url({ model: config.model ?? '', body: {} }, false),
    complete: async (request, { signal }) => await readJson(await send(request, false, signal)),
    stream: async (request, { signal }) => readFrames(await send(request, true, signal)),
    refusalOf: refusalIn,
  }
}

/** Returns headers with names in lower case, so that none is sent twice. */
function lowered(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Returns the key; a function is called for every request. */
async function keyOf(key: ApiKey | undefined): Promise<string | undefined> {
  return typeof key === 'function' ? await key() : key
}
