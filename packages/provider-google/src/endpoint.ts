import type { ApiKey, ConfigEntry } from '@x/interfaces'
import { isHostOf, modelFailure } from '@x/provider-kit'

/** Endpoint of a config. */
export interface Endpoint {
  /** Root URL without a version; absent for the provider's own. */
  readonly baseUrl: string | undefined
  readonly apiVersion: string
}

/** Root URL of the provider. */
export const ROOT = 'https://generativelanguage.googleapis.com'

/** Splits the version off a base URL; the beta is where all features are. */
export function endpointOf({ baseUrl, apiVersion }: ConfigEntry): Endpoint {
  const plain = baseUrl?.replace(/\/+$/u, '')
  const versioned = /^(.*)\/(v\d\w*)$/u.exec(plain ?? '')
  return versioned
    ? { baseUrl: versioned[1], apiVersion: apiVersion ?? versioned[2]! }
    : { baseUrl: plain, apiVersion: apiVersion ?? 'v1beta' }
}

/** Tells whether requests go to Vertex, which refuses ids of calls. */
export function isVertex(baseUrl: string | undefined): boolean {
  return baseUrl !== undefined && /aiplatform\.googleapis\.com/u.test(baseUrl)
}

/** Returns the path of a model; names with a slash are whole paths already. */
export function modelPath(model: string): string {
  return model.includes('/') ? model : `models/${model}`
}

/** Returns the key of a call: the config's, one given by a function asked afresh, else the environment's. */
export async function keyFor(config: ConfigEntry, secrets: Set<string>): Promise<string> {
  const key = (await given(config.apiKey)) || environmentKey(config)
  if (key) secrets.add(key)
  return key || (noKey(config) ?? 'none')
}

/** Fails for a config without a key, unless another endpoint is asked, which may need none. */
export function noKey({ baseUrl }: ConfigEntry): undefined {
  if (!isOwn(baseUrl)) return undefined
  throw modelFailure('auth', 'there is no API key: set `apiKey` in the config entry, or GOOGLE_API_KEY')
}

/** Returns the environment's key, for the provider's own endpoint only. */
export function environmentKey({ baseUrl }: ConfigEntry): string | undefined {
  const env = globalThis.process?.env ?? {}
  return isOwn(baseUrl) ? env['GOOGLE_API_KEY'] || env['GEMINI_API_KEY'] || undefined : undefined
}

const isOwn = (baseUrl: string | undefined): boolean => baseUrl === undefined || isHostOf(baseUrl, 'googleapis.com')

async function given(key: ApiKey | undefined): Promise<string | undefined> {
  return typeof key === 'function' ? await key() : key
}
