import type { ConfigEntry } from '@x/interfaces'
import { modelFailure, plainCause } from '@x/provider-kit'
import { AzureOpenAI, OpenAI, type ClientOptions } from 'openai'
import { XError } from '@x/kernel'

/** One endpoint: the SDK's client for it, and the texts that must not be shown. */
export interface Endpoint {
  readonly sdk: OpenAI
  readonly fetch: typeof globalThis.fetch
  readonly secrets: Set<string>
}

/** Options of the SDK that every kind of endpoint has. */
type CommonOptions = Pick<ClientOptions, 'logLevel' | 'defaultHeaders'>

const SECRET_HEADER = /auth|key|token|secret|cookie/iu

/** Makes the SDK's client for a config; `fetch` is what it sends requests with. */
export function createEndpoint(config: ConfigEntry, fetch: typeof globalThis.fetch): Endpoint {
  const secrets = new Set<string>()
  for (const [name, value] of Object.entries(config.defaultHeaders ?? {}))
    if (SECRET_HEADER.test(name)) secrets.add(value)
  const apiKey = keyOf(config, secrets)
  const common: CommonOptions = { logLevel: 'off', defaultHeaders: config.defaultHeaders }
  try {
    const sdk = config.apiType?.startsWith('azure') ? azure(config, apiKey, common) : plain(config, apiKey, common)
    if (typeof sdk.apiKey === 'string') secrets.add(sdk.apiKey)
    return { sdk, fetch, secrets }
  } catch (error) {
    const cause = plainCause(error, secrets)
    if (/credentials|api ?key/iu.test(cause?.message ?? '')) {
      throw modelFailure('auth', 'there is no API key: set `apiKey` in the config entry, or OPENAI_API_KEY', { cause })
    }
    throw new XError(
      'invalid-config',
      `the endpoint of \`${String(config.model)}\` cannot be used: ${cause?.message}`,
      { cause },
    )
  }
}

/** A key given by a function is asked for with every call, and kept out of sight from then on. */
function keyOf({ apiKey }: ConfigEntry, secrets: Set<string>): string | (() => Promise<string>) | undefined {
  if (typeof apiKey !== 'function') {
    if (apiKey) secrets.add(apiKey)
    return apiKey || undefined
  }
  return async () => {
    const key = await apiKey()
    secrets.add(key)
    return key
  }
}

function plain(config: ConfigEntry, apiKey: ReturnType<typeof keyOf>, common: CommonOptions): OpenAI {
  const { baseUrl, organization } = config
  if (baseUrl === undefined) return new OpenAI({ ...common, apiKey, ...(organization && { organization }) })
  // What the environment says about OpenAI's own endpoint is not for another one.
  const anonymous = apiKey === undefined && !/^https:\/\/[\w.-]*\bopenai\.com(?:[/:]|$)/u.test(baseUrl)
  return new OpenAI({
    ...common,
    baseURL: baseUrl,
    apiKey: anonymous ? 'none' : apiKey,
    organization: organization ?? null,
    project: null,
    ...(anonymous && { defaultHeaders: { Authorization: null, ...config.defaultHeaders } }),
  })
}

function azure(config: ConfigEntry, apiKey: ReturnType<typeof keyOf>, common: CommonOptions): OpenAI {
  const { baseUrl, apiVersion } = config
  if (baseUrl === undefined && !process.env['AZURE_OPENAI_ENDPOINT']) {
    throw new XError('invalid-config', 'an Azure entry has no `baseUrl`: set it to the endpoint of the resource')
  }
  const url = baseUrl?.replace(/\/+$/u, '')
  if (url?.endsWith('/openai/v1')) return azureV1(url, config, apiKey, common)
  if (apiVersion === undefined && !process.env['OPENAI_API_VERSION']) {
    throw new XError('invalid-config', 'an Azure entry has no `apiVersion`: set one such as 2024-10-21')
  }
  const deployment = url && /^(.*)\/openai(?:\/deployments\/[^/]+)?$/u.exec(url)?.[1]
  return new AzureOpenAI({
    ...common,
    apiVersion,
    ...(url !== undefined && { endpoint: deployment ?? url }),
    ...(typeof apiKey === 'function' ? { azureADTokenProvider: apiKey } : { apiKey }),
  })
}

/** The newer form of the hosted variant is the plain endpoint with another header for a key. */
function azureV1(url: string, config: ConfigEntry, apiKey: ReturnType<typeof keyOf>, common: CommonOptions): OpenAI {
  const { apiVersion } = config
  const isToken = typeof apiKey === 'function'
  return new OpenAI({
    ...common,
    baseURL: url,
    apiKey: apiKey ?? process.env['AZURE_OPENAI_API_KEY'],
    organization: null,
    project: null,
    ...(apiVersion && { defaultQuery: { 'api-version': apiVersion } }),
    ...(!isToken && { defaultHeaders: { Authorization: null, 'api-key': apiKey ?? '', ...config.defaultHeaders } }),
  })
}
