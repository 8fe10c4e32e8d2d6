import type { ApiKey, ConfigEntry } from '@x/interfaces'
import { refusalIn, requireSuccess } from '../http/refusal.ts'
import type { LoweredRequest, Wire } from './dialect.ts'
import { readFrames, readJson } from '../http/read-response.ts'
import { secretsOf } from '../failure/secrets.ts'
import { createTransport } from '../http/transport.ts'

/** How a provider is reached without an SDK. */
export interface HttpWireInit {
  readonly config: ConfigEntry
  /** Where a request goes. */
  readonly url: (request: LoweredRequest, stream: boolean) => string
  /** Headers that carry the key. */
  readonly authorize: (key: string) => Record<string, string>
  /** Key of a config without one, from the environment. */
  readonly environmentKey?: (() => string | undefined) | undefined
  /** What a body is with a stream asked for; default: as without. */
  readonly streamed?: ((body: Readonly<Record<string, unknown>>) => object) | undefined
  /** What requests are sent with where the config brings no `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Makes a way to a provider by plain HTTP: JSON out, JSON or server-sent events in. */
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

/** Names of headers in lower case: the same one in two spellings would be sent twice. */
function lowered(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Gives a key; one given by a function is asked for with every call. */
async function keyOf(key: ApiKey | undefined): Promise<string | undefined> {
  return typeof key === 'function' ? await key() : key
}
