import type { ConfigEntry, MaybePromise } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { redact, secretsOf } from '@x/kernel/redact'
import type { HttpRefusal } from '../failure/convert-error.ts'
import { modelFailure, plainCause } from '../failure/model-failure.ts'
import { withHeaders } from '../http/headers.ts'
import { readFrames, readJson, readWhole, requireSuccess, type StreamFormat } from '../http/read-response.ts'
import { createTransport } from '../http/transport.ts'
import { shownUrl, withQueryLast } from '../http/url.ts'
import { wellFormedJson } from '../json/wire-values.ts'
import type { LoweredRequest, Wire, WireCall } from './dialect.ts'

/** A request as it leaves. */
interface OutgoingRequest {
  /** `GET` only for requests about batches. */
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text or a form with a file, whose bytes in UTF-8 are sent; empty for `GET`. */
  readonly body: string
}

/** Changes of a request by its signature: headers are added and win, a URL or a body replaces the former one. */
interface RequestChanges {
  readonly url?: string | undefined
  /** Null removes a header. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  readonly body?: string | undefined
}

/** Endpoint, key and format of plain HTTP requests. */
export interface HttpWireInit {
  readonly config: ConfigEntry
  /** Returns the URL of a request, by model, `operation` and streaming. A query of `baseUrl` is moved behind it. */
  readonly url: (request: LoweredRequest, stream: boolean) => string
  /** Returns the headers with the key. */
  readonly authorize: (key: string) => Record<string, string>
  /** Returns a key from the environment, for a config without a key. */
  readonly environmentKey?: (() => string | undefined) | undefined
  /** Returns the URL of a request about a batch by its path; absent: the endpoint has no batches. */
  readonly batchUrl?: ((path: string) => string) | undefined
  /**
   * Signs a request, once for each attempt, when everything else is there. Nothing has left before: an error fails it
   * with kind `auth`, an `XError` passes as it is. Texts that it adds to `secrets` are taken out of all errors.
   */
  readonly sign?: ((request: OutgoingRequest, secrets: Set<string>) => MaybePromise<RequestChanges>) | undefined
  /** Form of a stream: events, lines of JSON, or one of your own; default `sse`. */
  readonly format?: StreamFormat | undefined
  /** Returns the body of a request for a stream; default: the same body. */
  readonly streamed?: ((body: Readonly<Record<string, unknown>>) => object) | undefined
  /** Reads a refusal in a form of the endpoint alone: returns it with a body that the kit knows, or with its kind. */
  readonly readRefusal?: ((refusal: HttpRefusal) => HttpRefusal) | undefined
  /** Sends the requests if the config has no `fetch`; default: a lean transport. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Media types of streams by their format. */
const STREAM_TYPES = { sse: 'text/event-stream', ndjson: 'application/x-ndjson' }

/** Creates a `Wire` for plain HTTP: it sends JSON, and receives JSON, server-sent events or lines of JSON. */
export function createHttpWire(init: HttpWireInit): Wire {
  const { config, format = 'sse', streamed = (body) => body } = init
  const isGiven = !config.fetch && init.fetch !== undefined
  const fetch = isGiven ? init.fetch : createTransport(config.fetch)
  const secrets = secretsOf(config)

  const send = async (request: LoweredRequest, stream: boolean, call: WireCall): Promise<Response> => {
    call.begin?.()
    const key = await readKey(config.apiKey || init.environmentKey?.(), secrets)
    const streamType = typeof format === 'string' ? STREAM_TYPES[format] : format.mediaType
    let url = withQueryLast(init.url(request, stream), config.baseUrl)
    const text = JSON.stringify(stream ? streamed(request.body) : request.body)
    let options: Pick<OutgoingRequest, 'method' | 'headers' | 'body'> = {
      method: 'POST',
      headers: withHeaders(
        {
          'content-type': 'application/json',
          accept: stream ? streamType : 'application/json',
          ...(key && withHeaders(init.authorize(key), {})),
          ...withHeaders(config.defaultHeaders ?? {}, {}),
        },
        request.headers,
      ),
      // A signature counts every byte: what the transport would change is changed before.
      body: init.sign ? wellFormedJson(text) : text,
    }
    if (init.sign) ({ url, ...options } = await signRequest(init.sign, { ...options, url }, secrets))
    // A `fetch` that is given may be any: it gets plain options.
    const own = isGiven ? undefined : call.initFor?.(options)
    const response = await fetch(url, own ?? { ...options, signal: call.signal })
    const success = await requireSuccess(response, config, init.readRefusal)
    call.onHeaders?.(success.headers)
    return success
  }

  return {
    ...(init.batchUrl && { exchange: exchangeOf(init, init.batchUrl, { fetch, secrets }) }),
    secrets,
    url: init.url({ model: config.model ?? '', body: {} }, false),
    complete: async (request, call) => await readJson(await send(request, false, call), config),
    stream: async (request, call) => readFrames(await send(request, true, call), { format, limits: config }),
  }
}

/** Creates the way to ask about batches. */
function exchangeOf(
  init: HttpWireInit,
  urlOf: NonNullable<HttpWireInit['batchUrl']>,
  { fetch, secrets }: { readonly fetch: typeof globalThis.fetch; readonly secrets: Set<string> },
): NonNullable<Wire['exchange']> {
  const { config, sign } = init
  return async ({ method, path, body, type = 'application/json', headers: own = {}, onLine }, call) => {
    call.begin?.()
    const key = await readKey(config.apiKey || init.environmentKey?.(), secrets)
    const headers = withHeaders(
      {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': type }),
        ...(key && withHeaders(init.authorize(key), {})),
        ...withHeaders(config.defaultHeaders ?? {}, {}),
      },
      own,
    )
    const plain = { method, url: withQueryLast(urlOf(path), config.baseUrl), headers, body: body ?? '' }
    const signed = sign && (await signRequest(sign, { ...plain, body: wellFormedJson(plain.body) }, secrets))
    const { url, body: text, ...options } = signed ?? plain
    const response = await fetch(url, { ...options, ...(text !== '' && { body: text }), signal: call.signal })
    return await readWhole(await requireSuccess(response, config, init.readRefusal), config, onLine)
  }
}

/** Returns the key, and adds it to the secrets; a function is called for every request. */
async function readKey(given: ConfigEntry['apiKey'], secrets: Set<string>): Promise<string | undefined> {
  const key = (typeof given === 'function' ? await given() : given)?.trim()
  if (!key) return key
  secrets.add(key)
  // An error of `fetch` for a wrong header quotes it.
  if (!/[^\u0020-\u007e]/u.test(key)) return key
  throw modelFailure('auth', 'the API key holds characters that no key has: copy `apiKey` again')
}

/** Signs a request. The message of a signer may quote its secrets: it is shown without them. */
async function signRequest(
  sign: NonNullable<HttpWireInit['sign']>,
  request: OutgoingRequest,
  secrets: Set<string>,
): Promise<OutgoingRequest> {
  const { method, url, headers, body } = request
  try {
    const lowerCased = withHeaders(headers, {})
    const changes = await sign({ method, url, headers: lowerCased, body }, secrets)
    return {
      method,
      url: changes.url ?? url,
      body: changes.body ?? body,
      headers: withHeaders(lowerCased, changes.headers),
    }
  } catch (error) {
    if (isXError(error)) throw error
    const reason = redact(error instanceof Error ? error.message : String(error), secrets)
    throw modelFailure('auth', `the request to \`${shownUrl(url)}\` cannot be signed: ${reason}`, {
      cause: plainCause(error, secrets),
    })
  }
}
