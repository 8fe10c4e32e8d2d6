import { Anthropic, APIConnectionError } from '@anthropic-ai/sdk'
import type { ConfigEntry } from '@x/interfaces'
import { secretsOf } from '@x/kernel/redact'
import {
  modelFailure,
  plainCause,
  readFrames,
  readJson,
  readWhole,
  requireSuccess,
  withoutTrailingSlashes,
  type LoweredRequest,
  type Wire,
} from '@x/provider-kit'
import { keyVariablesOf } from './config.ts'

/** Longest delay of a timer, as good as no timeout: the client watches the time. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1

/** Placeholder key for endpoints without a key; it is not sent. */
const ANONYMOUS_KEY = 'none'

/** The signal of the call among the options of a request: the SDK gives `fetch` a signal of its own, which no watcher is registered for. */
const CALL_SIGNAL = Symbol('signal of the call')

/** Options of `fetch` with the signal of the call. */
interface SignedInit extends RequestInit {
  readonly [CALL_SIGNAL]?: AbortSignal
}

type WireCall = Parameters<Wire['complete']>[1]

/** Connects to the provider by its SDK, which signs and sends. The retries, timers and parsers of the SDK are not used, nor its reading of errors, which has no limit. */
export function createSdkWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const secrets = secretsOf(config)
  const fetchSuccess: typeof globalThis.fetch = async (input, init) => {
    const { [CALL_SIGNAL]: signal, ...rest }: SignedInit = init ?? {}
    return await requireSuccess(await fetch(input, { ...rest, ...(signal && { signal }) }), config)
  }
  const sdk = createSdk(config, fetchSuccess, secrets)
  /** Makes the options of a request, with the key; a function for keys is called each time. */
  const optionsOf = async (
    { signal, begin }: WireCall,
    more: Readonly<Record<string, string | null>> | undefined,
  ): Promise<Anthropic.RequestOptions> => {
    begin?.()
    const key = (await readKey(config.apiKey)) || (sdk.apiKey === ANONYMOUS_KEY ? undefined : sdk.apiKey)
    if (key) secrets.add(key)
    const fetchOptions: object = { [CALL_SIGNAL]: signal }
    // Gateways and older versions of the API know the key by this header.
    const headers = { ...(key && { 'x-api-key': key }), ...more }
    return { signal, fetchOptions, timeout: SDK_TIMEOUT_MS, maxRetries: 0, headers }
  }
  const send = async (
    { body, headers, operation }: LoweredRequest,
    call: WireCall,
    stream: boolean,
  ): Promise<Response> => {
    const options = await optionsOf(call, headers)
    // `messages.create` of the SDK would write about old models to the console.
    const response =
      operation === 'countTokens'
        ? await sdk.post('/v1/messages/count_tokens', { ...options, body }).asResponse()
        : await sdk.post('/v1/messages', { ...options, body: { ...body, stream }, stream }).asResponse()
    call.onHeaders?.(response.headers)
    return response
  }
  const exchange: Wire['exchange'] = async ({ method, path, body, headers, onLine }, call) => {
    const type = body === undefined ? undefined : { 'content-type': 'application/json' }
    const options = await optionsOf(call, { ...type, ...headers })
    const sent =
      method === 'GET' ? sdk.get(path, options) : sdk.post(path, { ...options, ...(body !== undefined && { body }) })
    return await readWhole(await sent.asResponse(), config, onLine)
  }
  return {
    exchange,
    secrets,
    url: `${sdk.baseURL}/v1/messages`,
    complete: async (request, call) => await readJson(await send(request, call, false), config),
    stream: async (request, call) => readFrames(await send(request, call, true), { limits: config }),
    refusalOf,
  }
}

function createSdk(config: ConfigEntry, fetch: typeof globalThis.fetch, secrets: Set<string>): Anthropic {
  const { apiKey, baseUrl, defaultHeaders = {} } = config
  const headers = Object.entries(defaultHeaders).filter(([name]) => name.toLowerCase() !== 'anthropic-beta')
  const [path = '', query] = (baseUrl ?? '').split('?', 2)
  const isAnonymous = !apiKey && keyVariablesOf(config).length === 0
  try {
    const sdk = new Anthropic({
      fetch,
      maxRetries: 0,
      logLevel: 'off',
      // The program decides whether a page shows its key, as with every other provider.
      dangerouslyAllowBrowser: true,
      defaultHeaders: { ...(isAnonymous && { Authorization: null }), ...Object.fromEntries(headers) },
      ...(baseUrl !== undefined && { baseURL: withoutVersion(path) }),
      defaultQuery: Object.fromEntries(new URLSearchParams(query)),
      ...(apiKey ? { apiKey: asPromise(apiKey) } : isAnonymous && { apiKey: ANONYMOUS_KEY }),
    })
    if (sdk.apiKey) secrets.add(sdk.apiKey)
    if (sdk.authToken) secrets.add(sdk.authToken)
    return sdk
  } catch (error) {
    const cause = plainCause(error, secrets)
    throw modelFailure('auth', `the Anthropic client cannot be made: ${cause?.message ?? 'unknown'}`, { cause })
  }
}

const asPromise = (key: NonNullable<ConfigEntry['apiKey']>): string | (() => Promise<string>) =>
  typeof key === 'function' ? async () => await key() : key

async function readKey(key: ConfigEntry['apiKey']): Promise<string | undefined> {
  return typeof key === 'function' ? await key() : key
}

function refusalOf(error: unknown): ReturnType<NonNullable<Wire['refusalOf']>> {
  if (error instanceof APIConnectionError) return undefined
  // The SDK reports a missing key in various words, and puts the error of a key function behind its own.
  if (/authentication method|must return a non-empty string/u.test(String(error))) {
    return {
      kind: 'auth',
      message:
        "there is no API key: set ANTHROPIC_API_KEY, or `apiKey` at the model, as in `anthropic('claude-sonnet-4-5', { apiKey })`",
    }
  }
  return undefined
}

/** The SDK adds the version to the base URL by itself. */
function withoutVersion(baseUrl: string): string {
  const root = withoutTrailingSlashes(baseUrl)
  return root.endsWith('/v1') ? withoutTrailingSlashes(root.slice(0, -'v1'.length)) : root
}
