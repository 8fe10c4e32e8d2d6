import { Anthropic, APIConnectionError, AnthropicError } from '@anthropic-ai/sdk'
import type { ApiKey, ConfigEntry } from '@x/interfaces'
import { secretsOf } from '@x/kernel/redact'
import {
  isHostOf,
  modelFailure,
  plainCause,
  readFrames,
  readJson,
  requireSuccess,
  type LoweredRequest,
  type Wire,
} from '@x/provider-kit'

/** Longest time a timer can run: our own clock watches the call. */
const NEVER = 2 ** 31 - 1

/** Placeholder key for endpoints without a key; it is not sent. */
const ANONYMOUS = 'none'

/** Connects to the provider by its SDK, which signs and sends; its retries, timers and parsers are not used, nor its reading of errors, which has no limit. */
export function createSdkWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const secrets = secretsOf(config)
  const answered: typeof globalThis.fetch = async (input, init) =>
    await requireSuccess(await fetch(input, init), config)
  const sdk = createSdk(config, answered, secrets)
  const send = async (
    { body, headers, operation }: LoweredRequest,
    { signal, onHeaders }: Parameters<Wire['complete']>[1],
    stream: boolean,
  ): Promise<Response> => {
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
    const response =
      operation === 'countTokens'
        ? await sdk.post('/v1/messages/count_tokens', { ...options, body }).asResponse()
        : await sdk.post('/v1/messages', { ...options, body: { ...body, stream }, stream }).asResponse()
    onHeaders?.(response.headers)
    return response
  }
  return {
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
  // What the environment says about the provider's own endpoint is not for another one.
  const anonymous = !apiKey && baseUrl !== undefined && !isHostOf(baseUrl, 'anthropic.com')
  try {
    const sdk = new Anthropic({
      fetch,
      maxRetries: 0,
      logLevel: 'off',
      // Whether a page shows its key to whoever opens it is the program's decision, as with every other provider.
      dangerouslyAllowBrowser: true,
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

function refusalOf(error: unknown): ReturnType<NonNullable<Wire['refusalOf']>> {
  if (error instanceof APIConnectionError) return undefined
  // The SDK finds no key: it says so in its own words.
  if (error instanceof AnthropicError || /authentication method|api ?key/iu.test(String(error))) {
    return { status: 401, message: 'there is no API key: set `apiKey` in the config entry, or ANTHROPIC_API_KEY' }
  }
  return undefined
}
