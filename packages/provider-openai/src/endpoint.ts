import type { ConfigEntry } from '@x/interfaces'
import { secretsOf } from '@x/kernel/redact'
import { isHostOf, modelFailure, type LoweredRequest, withoutTrailingSlashes } from '@x/provider-kit'
import { XError } from '@x/kernel'

/** Variables of the environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** URL and headers of the requests of one config. */
export interface Endpoint {
  /** URL without the path of a request and without a slash at its end. */
  readonly root: string
  /** Query of every URL, with its `?`; empty if there is none. */
  readonly search: string
  /** Version of Azure's API, where every model has a path of its own; undefined elsewhere. */
  readonly deploymentVersion: string | undefined
  /** Returns the URL of a request. */
  url(request: LoweredRequest): string
  /** Headers of a request, names in lower case; a key function is called each time. */
  headers(): Record<string, string> | Promise<Record<string, string>>
  /** Whether redirects are followed: towards another host the platform removes `authorization`, but no other header with a key. */
  readonly redirects: boolean
  readonly secrets: ReadonlySet<string>
}

/** Name and version of this package, in the header `user-agent` of requests. */
const USER_AGENT = 'x-provider-openai/0.1.0'

/**
 * Reads the endpoint of a config: OpenAI's own one, any other by `baseUrl`, or Azure in its two forms. URL, key and headers
 * are those of the SDK, which a test compares; the adapter makes them, because the SDK would bring its whole client along.
 * `userAgent` names the sender, unless a header of the config does; null leaves that to the sender.
 */
export function createEndpoint(config: ConfigEntry, env: Environment, userAgent: string | null = USER_AGENT): Endpoint {
  const secrets = new Set(secretsOf(config))
  const isAzure = isAzureType(config.apiType)
  const url = endpointUrl(config, env)
  const { root, query, login } = rootOf(isAzure ? azureUrl(url) : url)
  const byDeployment = isAzure && !root.endsWith('/openai/v1')
  if (login) secrets.add(login.slice('Basic '.length))
  if (isAzure)
    addVersion(query, config.apiVersion || (byDeployment ? env['OPENAI_API_VERSION'] : undefined), byDeployment)
  const urls = new Map<string, string>()
  const search = query.size > 0 ? `?${query.toString().replaceAll('+', '%20')}` : ''
  const fixed = fixedHeaders(config, env, userAgent)
  for (const [name, value] of Object.entries(fixed))
    if (!PUBLIC_HEADERS.has(name))
      for (const text of [value, value.slice(value.lastIndexOf(' ') + 1)]) secrets.add(text)
  const hasOther = login !== undefined || KEY_HEADERS.some((name) => name in fixed)
  const key = keyFor(config, env, hasOther)
  const isBare = isAzure && typeof key === 'string'

  const latestKeys: string[] = []
  /** Keeps the latest keys of a function out of errors: no earlier key is in use. */
  const remember = (text: string): void => {
    if (secrets.has(text)) return
    secrets.add(text)
    if (latestKeys.push(text) > MAX_SECRET_KEYS) secrets.delete(latestKeys.shift()!)
  }
  const withKey = (text: string | undefined): Record<string, string> => {
    const clean = text?.trim()
    if (!clean) return login ? { authorization: login, ...fixed } : fixed
    remember(clean)
    // The error of `fetch` for a wrong header would quote the key.
    if (/[^\u0020-\u007e]/u.test(clean)) {
      throw modelFailure('auth', 'the API key holds characters that no key has: copy `apiKey` again')
    }
    return isBare ? { 'api-key': clean, ...fixed } : { authorization: `Bearer ${clean}`, ...fixed }
  }
  const fixedKeyHeaders = typeof key === 'function' ? undefined : withKey(key)

  return {
    root,
    search,
    deploymentVersion: byDeployment ? query.get('api-version')! : undefined,
    secrets,
    redirects: !isBare,
    url(request) {
      const path = pathOf(request)
      // The Responses API has no path for each deployment.
      const deployment =
        byDeployment && !path.startsWith('/responses') ? `/deployments/${encodeURIComponent(request.model)}` : ''
      const full = deployment + path
      let url = urls.get(full)
      if (url === undefined) urls.set(full, (url = root + full + search))
      return url
    },
    headers: () => fixedKeyHeaders ?? callKey(key as () => string | PromiseLike<string>, withKey),
  }
}

const isAzureType = (apiType: string | undefined): boolean => apiType?.startsWith('azure') ?? false

/** Returns the path of a request below the root of its endpoint. */
export function pathOf({ body, operation }: LoweredRequest): string {
  if (operation === 'countTokens') return '/responses/input_tokens'
  if (operation === 'embed') return '/embeddings'
  if ('input' in body) return '/responses'
  return 'prompt' in body ? '/completions' : '/chat/completions'
}

/** Keys of a function that are kept out of errors at the same time. */
const MAX_SECRET_KEYS = 1000

/** Headers that the adapter sets itself, which hold no secrets; a header of any other name may hold the key of a gateway. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'user-agent',
  'openai-organization',
  'openai-project',
])

/** Headers that may carry a key. */
const KEY_HEADERS = ['authorization', 'api-key']

const OPENAI_URL = 'https://api.openai.com/v1'

async function callKey<T>(key: () => string | PromiseLike<string>, use: (key: string) => T): Promise<T> {
  const text = await key()
  if (!text) throw modelFailure('auth', 'the function `apiKey` gave no key: let it give one, or fail')
  return use(text)
}

interface Root {
  /** Without a slash at its end, a query or credentials. */
  readonly root: string
  readonly query: URLSearchParams
  /** Header for the credentials of the URL, which may not stay in it. */
  readonly login: string | undefined
}

function rootOf(text: string): Root {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/u.test(url.protocol)) {
    throw new XError('invalid-config', '`baseUrl` is not a URL: give one such as `http://localhost:11434/v1`')
  }
  const { origin, pathname, username, password, searchParams: query } = url
  const login = username || password ? basic(username, password) : undefined
  return { root: origin + withoutTrailingSlashes(pathname), query, login }
}

function basic(username: string, password: string): string {
  try {
    const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
    return `Basic ${btoa(String.fromCharCode(...bytes))}`
  } catch {
    throw new XError('invalid-config', 'name and password in `baseUrl` are not percent-encoded: encode them')
  }
}

/** Returns the URL of the config or of the environment; empty for Azure without one. */
export function endpointUrl({ apiType, baseUrl }: ConfigEntry, env: Environment): string {
  if (isAzureType(apiType)) return baseUrl || env['AZURE_OPENAI_ENDPOINT'] || ''
  return baseUrl || env['OPENAI_BASE_URL'] || OPENAI_URL
}

function azureUrl(url: string): string {
  if (!url)
    throw new XError('invalid-config', 'an Azure entry has no `baseUrl`: set it to the endpoint of the resource')
  const [, path = '', query = ''] = /^([^?]*)(\?.*)?$/su.exec(url) ?? []
  const clean = withoutTrailingSlashes(path)
  return clean.endsWith('/openai/v1')
    ? clean + query
    : `${clean.replace(/\/openai(?:\/deployments\/[^/]+)?$/u, '')}/openai${query}`
}

function addVersion(query: URLSearchParams, version: string | undefined, needed: boolean): void {
  if (version) query.set('api-version', version)
  else if (needed && !query.has('api-version')) {
    throw new XError('invalid-config', 'an Azure entry has no `apiVersion`: set one such as 2024-10-21')
  }
}

/** Names the variable of the environment that has the key of a config. The one for OpenAI is not sent to other endpoints, which need no key. */
export function keyVariablesOf({ apiKey, apiType, baseUrl }: ConfigEntry): readonly string[] {
  if (apiKey) return []
  if (isAzureType(apiType)) return ['AZURE_OPENAI_API_KEY']
  // A host that only looks like OpenAI's gets no key from the environment.
  return baseUrl === undefined || isHostOf(baseUrl, 'openai.com') ? ['OPENAI_API_KEY'] : []
}

/** Returns the key of the config or of the environment; `hasOther` tells whether a header or the URL has one. */
function keyFor(config: ConfigEntry, env: Environment, hasOther: boolean): ConfigEntry['apiKey'] {
  const [variable] = keyVariablesOf(config)
  if (variable === undefined) return config.apiKey || undefined
  const key = env[variable]
  if (key || hasOther) return key || undefined
  throw modelFailure(
    'auth',
    `there is no API key: set ${variable}, or \`apiKey\` at the model, as in \`openai('gpt-5-mini', { apiKey })\``,
  )
}

/** Returns the headers of all requests of a config; those of the config win, whatever their case. */
function fixedHeaders(
  { apiType, baseUrl, organization, defaultHeaders }: ConfigEntry,
  env: Environment,
  userAgent: string | null,
): Record<string, string> {
  // Variables of the environment for OpenAI's own endpoint are not for others.
  const variables = baseUrl === undefined && !isAzureType(apiType) ? env : {}
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(userAgent !== null && { 'user-agent': userAgent }),
  }
  const organisation = organization || variables['OPENAI_ORG_ID']
  if (organisation) headers['openai-organization'] = organisation
  if (variables['OPENAI_PROJECT_ID']) headers['openai-project'] = variables['OPENAI_PROJECT_ID']
  for (const line of variables['OPENAI_CUSTOM_HEADERS']?.split('\n') ?? []) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  for (const [name, value] of Object.entries(defaultHeaders ?? {})) {
    // Null in JSON removes a header.
    if (value === null) delete headers[name.toLowerCase()]
    else headers[name.toLowerCase()] = value
  }
  return headers
}
