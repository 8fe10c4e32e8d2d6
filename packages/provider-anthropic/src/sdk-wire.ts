import { Anthropic, APIConnectionError, APIError, AnthropicError } from '@anthropic-ai/sdk'
import type { ApiKey, ConfigEntry } from '@x/interfaces'
import {
  isHostOf,
  modelFailure,
  plainCause,
  readFrames,
  readJson,
  secretsOf,
  type HttpRefusal,
  type LoweredRequest,
  type Wire,
} from '@x/provider-kit'

/** Longest time a timer can run: our own clock watches the call. */
const NEVER = 2 ** 31 - 1

/** Placeholder key for endpoints without a key; it is not sent. */
const ANONYMOUS = 'none'

/** Connects to the provider by its SDK, which signs and sends; its retries, timers and parsers are not used. */
export function createSdkWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const secrets = secretsOf(config)
  const sdk = createSdk(config, fetch, secrets)
  const send = async ({ body, headers }: LoweredRequest, signal: AbortSignal, stream: boolean): Promise<Response> => {
    const key = (await keyOf(config.apiKey)) || (sdk.apiKey === ANONYMOUS ? undefined : sdk.apiKey)
    if (key) secrets.add(key)
    const options = {
      signal,
      timeout: NEVER,
      maxRetries: 0,
      // Gateways and older versions of the API know the key by this header.
      headers: { ...(key && { 'x-api-key': key }), ...headers },
    }
    // Its `messages.create` would write about old models to the console.
    return await sdk.post('/v1/messages', { ...options, body: { ...body, stream }, stream }).asResponse()
  }
  return {
    secrets,
    url: `${sdk.baseURL}/v1/messages`,
    complete: async (request, { signal }) => await readJson(await send(request, signal, false)),
    stream: async (request, { signal }) => readFrames(await send(request, signal, true)),
    refusalOf,
  }
}

function createSdk(config: ConfigEntry, fetch: typeof globalThis.fetch, secrets: Set<string>): Anthropic {
  const { apiKey, baseUrl, defaultHeaders = {} } = config
  const headers = Object.entries(defaultHeaders).filter(([name]) => name.toLowerCase() !== 'anthropic-beta')
  // What the environment says about the provider's own endpoint is not for another one.
  const anonymous = !apiKey && baseUrl !== undefined && !isHostOf(baseUrl, 'anthropic.com')
  try {
    const sdk = new Anthropic({
      fetch,
      maxRetries: 0,
      logLevel: 'off',
      defaultHeaders: { ...(anonymous && { Authorization: null }), ...Object.fromEntries(headers) },
      ...(baseUrl !== undefined && { baseURL: baseUrl.replace(/\/+(?:v1\/*)?$/u, '') }),
      ...(apiKey ? { apiKey: asPromise(apiKey) } : anonymous && { apiKey: ANONYMOUS }),
    })
    if (sdk.apiKey) secrets.add(sdk.apiKey)
    if (sdk.authToken) secrets.add(sdk.authToken)
    return sdk
  } catch (error) {
    const cause = plainCause(error, secrets)
    throw modelFailure('auth', `the Anthropic client cannot be made: ${cause?.message ?? 'unknown'}`, { cause })
  }
}

const asPromise = (key: ApiKey): string | (() => Promise<string>) =>
  typeof key === 'function' ? async () => await key() : key

async function keyOf(key: ApiKey | undefined): Promise<string | undefined> {
  return typeof key === 'function' ? await key() : key
}

function refusalOf(error: unknown): HttpRefusal | undefined {
  if (error instanceof APIConnectionError) return undefined
  if (error instanceof APIError && error.status !== undefined) {
    const { status, headers, error: body, message } = error
    return { status, ...(headers && { headers }), body, message }
  }
  // The SDK finds no key: it says so in its own words.
  if (error instanceof AnthropicError || /authentication method|api ?key/iu.test(String(error))) {
    return { status: 401, message: 'there is no API key: set `apiKey` in the config entry, or ANTHROPIC_API_KEY' }
  }
  return undefined
}
