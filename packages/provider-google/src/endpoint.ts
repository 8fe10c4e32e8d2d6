import type { ConfigEntry } from '@x/interfaces'
import type { GoogleSdk } from './config.ts'
import { isHostOf, modelFailure, createHttpWire, type Wire, withoutTrailingSlashes } from '@x/provider-kit'

/** Endpoint of a config. */
export interface Endpoint {
  /** Root URL without a version and a query; absent for the endpoint of the provider. */
  readonly baseUrl: string | undefined
  readonly apiVersion: string
  /** Query of every URL, with its `?`; empty if there is none. */
  readonly query: string
}

/** Root URL of the provider. */
export const ROOT_URL = 'https://generativelanguage.googleapis.com'

/** Splits the version off a base URL; the default is the beta, which has all features. */
export function endpointOf({ baseUrl, apiVersion }: ConfigEntry): Endpoint {
  const [path = '', query = ''] = (baseUrl ?? '').split(/(?=\?)/u, 2)
  const trimmed = baseUrl === undefined ? undefined : withoutTrailingSlashes(path)
  const versioned = /^(.*)\/(v\d\w*)$/u.exec(trimmed ?? '')
  return versioned
    ? { baseUrl: versioned[1], apiVersion: apiVersion ?? versioned[2]!, query }
    : { baseUrl: trimmed, apiVersion: apiVersion ?? 'v1beta', query }
}

/** Returns the URL of the config, or of the provider; one of the SDKs reads another one from the environment. */
export function endpointUrl({ baseUrl }: ConfigEntry, sdk: GoogleSdk | undefined): string {
  const variable = sdk === 'genai' ? globalThis.process?.env['GOOGLE_GEMINI_BASE_URL'] : undefined
  return baseUrl || variable || ROOT_URL
}

/** Tells whether requests go to Vertex, which refuses ids of calls. */
export function isVertex(baseUrl: string | undefined): boolean {
  return baseUrl !== undefined && /aiplatform\.googleapis\.com/u.test(baseUrl)
}

/** Returns the path of a model; a name with a slash is a whole path. */
export function modelPath(model: string): string {
  return model.includes('/') ? model : `models/${model}`
}

/** Returns the key of a call from the config, where a function is called every time, else from the environment. */
export async function keyFor(config: ConfigEntry, secrets: Set<string>): Promise<string> {
  const key = (await readKey(config.apiKey)) || environmentKey(config)
  if (key) secrets.add(key)
  return key || (requireNoKey(config) ?? 'none')
}

/** Fails for a config without a key, unless it names another endpoint, which may need none. */
function requireNoKey({ baseUrl }: ConfigEntry): undefined {
  if (!isOwnEndpoint(baseUrl)) return undefined
  throw modelFailure(
    'auth',
    "there is no API key: set GEMINI_API_KEY, or `apiKey` at the model, as in `google('gemini-2.5-flash', { apiKey })`",
  )
}

/** Names the variables of the environment that may have the key of a config. They are for the endpoint of the provider only. */
export function keyVariablesOf({ apiKey, baseUrl }: ConfigEntry): readonly string[] {
  return !apiKey && isOwnEndpoint(baseUrl) ? ['GOOGLE_API_KEY', 'GEMINI_API_KEY'] : []
}

function environmentKey({ baseUrl }: ConfigEntry): string | undefined {
  const env = globalThis.process?.env ?? {}
  for (const name of keyVariablesOf({ baseUrl })) if (env[name]) return env[name]
  return undefined
}

const isOwnEndpoint = (baseUrl: string | undefined): boolean =>
  baseUrl === undefined || isHostOf(baseUrl, 'googleapis.com')

async function readKey(key: ConfigEntry['apiKey']): Promise<string | undefined> {
  return typeof key === 'function' ? await key() : key
}

/** Beginnings of API keys, which Vertex takes in its express mode; elsewhere it takes access tokens. */
const API_KEY_PATTERN = /^(?:AIza|AQ\.)/u

/** Connects to the provider without an SDK; the requests are the same as those of the SDKs. */
export function createFetchWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const { baseUrl, apiVersion, query } = endpointOf(config)
  const isOnVertex = isVertex(baseUrl)
  // Vertex has the version in the middle of its URL, so the config holds the whole one.
  const root =
    isOnVertex && config.baseUrl
      ? withoutTrailingSlashes(config.baseUrl)
      : `${baseUrl ?? ROOT_URL}/${apiVersion}${query}`
  return createHttpWire({
    config,
    fetch,
    url: ({ model, operation }, stream) => {
      const answer = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      const method = operation === 'embed' ? 'batchEmbedContents' : operation === 'countTokens' ? operation : answer
      return `${root}/${modelPath(model)}:${method}`
    },
    ...(!isOnVertex && { batchUrl: (path) => root + path }),
    authorize: (key) =>
      isOnVertex && !API_KEY_PATTERN.test(key) ? { authorization: `Bearer ${key}` } : { 'x-goog-api-key': key },
    environmentKey: () => environmentKey(config) ?? requireNoKey(config),
  })
}
