import type { ConfigEntry, MaybePromise, ModelErrorKind } from '@x/interfaces'
import { XError } from '@x/kernel'
import {
  createHttpWire,
  isHostOf,
  isRecord,
  modelFailure,
  option,
  parseJson,
  readOptions,
  withoutTrailingSlashes,
  type Dialect,
  type LoweredRequest,
  type Wire,
  type withModelRefs,
} from '@x/provider-kit'
import type { AnthropicEntry } from '../config.ts'
import { createProvider, hostPart, type AnthropicOptions, type OpenPlatform, type Platform } from '../platform.ts'
import { EVENT_STREAM } from './event-stream.ts'
import { signAws, type AwsCredentials } from './sign-aws.ts'

/** A config entry for Claude on Amazon Bedrock. */
export interface AnthropicBedrockConfig extends AnthropicEntry {
  apiType?: 'anthropic-bedrock' | undefined
  /** Region of the endpoint, such as `us-east-1`; default: `AWS_REGION` or `AWS_DEFAULT_REGION` of the environment. */
  region?: string | undefined
  /**
   * Keys that sign requests, or a function that is called for each; default: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`
   * and `AWS_SESSION_TOKEN` of the environment. Not used with an `apiKey`, which is an API key of Bedrock.
   */
  credentials?: AwsCredentials | (() => MaybePromise<AwsCredentials>) | undefined
}

/** An adapter that names its models when it is called. */
type AnthropicBedrockProvider = ReturnType<typeof withModelRefs<AnthropicBedrockConfig>>

/** Version of the Messages API on Bedrock, which stands in every body. */
const API_VERSION = 'bedrock-2023-05-31'

/** Domains of AWS, whose endpoints may be sent what the environment has. */
const AWS_DOMAINS = ['amazonaws.com', 'amazonaws.com.cn', 'api.aws']

const isOwnEndpoint = (baseUrl: string | undefined): boolean =>
  !baseUrl || AWS_DOMAINS.some((domain) => isHostOf(baseUrl, domain))

const BEDROCK: Platform = {
  module: { specifier: '@x/provider-anthropic/bedrock', export: 'anthropicBedrock', url: import.meta.url },
  apiType: 'anthropic-bedrock',
  keys: ['region', 'credentials'],
  foreignWords: {
    'apiKey awsRegion region credentials awsAccessKey awsSecretKey awsSessionToken baseURL baseUrl headers defaultHeaders timeout maxRetries':
      "give it with the model, as in `anthropicBedrock('us.anthropic.claude-haiku-4-5-20251001-v1:0', { region, credentials })`",
  },
  keyVariablesOf: ({ apiKey, credentials, baseUrl }) =>
    apiKey || credentials || !isOwnEndpoint(baseUrl)
      ? []
      : ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
  open: openBedrock,
}

/**
 * Creates an adapter for Claude on Amazon Bedrock. Called with the id of a model, of an inference profile or with an ARN, it
 * returns a `ModelRef`.
 */
export function createAnthropicBedrock(options: AnthropicOptions = {}): AnthropicBedrockProvider {
  return createProvider<AnthropicBedrockConfig>(BEDROCK, options)
}

/**
 * Adapter for Claude on Amazon Bedrock: `anthropicBedrock('us.anthropic.claude-haiku-4-5-20251001-v1:0', { region: 'us-east-1' })`
 * is a model of it, for `llmConfig` and agents.
 */
export const anthropicBedrock: AnthropicBedrockProvider = createAnthropicBedrock()

type Environment = Parameters<Platform['open']>[1]

function openBedrock(config: ConfigEntry, environment: Environment): OpenPlatform {
  const { region: given } = readOptions<{ region?: string }>(config, { region: option.text })
  const credentials = readCredentials(config)
  const region = given ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION']
  if (!region && !config.baseUrl) {
    throw new XError(
      'invalid-config',
      'the config key `region` is missing: give the region of Bedrock, such as `us-east-1`, or set AWS_REGION',
      { details: { key: 'region' } },
    )
  }
  const endpoint = withoutTrailingSlashes(
    config.baseUrl || `https://bedrock-runtime.${hostPart('region', region!)}.amazonaws.com`,
  )
  const own = isOwnEndpoint(config.baseUrl) ? environment : {}
  return {
    endpoint,
    connect: (fetch, now) => {
      const sign = createSigner(credentials ?? environmentCredentials(own), { endpoint, region, now })
      return connectTo(endpoint, { config, fetch, sign, environmentKey: () => own['AWS_BEARER_TOKEN_BEDROCK'] })
    },
    dialect: (dialect) => ({
      lower: (params, context) => frameRequest(dialect.lower(params, context)),
      lowerCount: (params, context) => frameCount(dialect.lower(params, context)),
      readCount: (body) => (isRecord(body) ? body['inputTokens'] : undefined),
    }),
  }
}

type HttpWireInit = Parameters<typeof createHttpWire>[0]

function connectTo(endpoint: string, init: Pick<HttpWireInit, 'config' | 'fetch' | 'sign' | 'environmentKey'>): Wire {
  return createHttpWire({
    ...init,
    url: ({ model, operation }, stream) => {
      const action = operation === 'countTokens' ? 'count-tokens' : stream ? 'invoke-with-response-stream' : 'invoke'
      return `${endpoint}/model/${encodeURIComponent(model)}/${action}`
    },
    authorize: (key) => ({ authorization: `Bearer ${key}` }),
    format: EVENT_STREAM,
    readRefusal,
  })
}

/** Puts a request into the form of Bedrock: the model stands in the URL, and names of beta features in the body. */
function frameRequest(request: LoweredRequest): LoweredRequest {
  const { model: _, ...body } = request.body
  const { 'anthropic-beta': betas, ...headers } = request.headers ?? {}
  const beta = betas ? { anthropic_beta: betas.split(',') } : {}
  return { ...request, headers, body: { anthropic_version: API_VERSION, ...beta, ...body } }
}

/** Puts a request for an answer into one for the number of its tokens, which holds the whole in base64. */
function frameCount(request: LoweredRequest): ReturnType<Dialect['lower']> {
  const { model, headers, body } = frameRequest(request)
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return { model, headers, body: { input: { invokeModel: { body: base64 } } }, operation: 'countTokens' }
}

type Credentials = NonNullable<AnthropicBedrockConfig['credentials']>

/** Reads `credentials` of a config; fails with `invalid-config` for other things than keys or a function. */
function readCredentials({ credentials }: ConfigEntry): Credentials | undefined {
  if (credentials === undefined || credentials === null) return undefined
  if (typeof credentials === 'function') return credentials as Extract<Credentials, () => unknown>
  if (isCredentials(credentials)) return credentials
  throw new XError(
    'invalid-config',
    'the config key `credentials` cannot be used: give `{ accessKeyId, secretAccessKey, sessionToken }` with texts, or a function that returns them',
    { details: { key: 'credentials' } },
  )
}

/** Tells keys of AWS. */
function isCredentials(value: unknown): value is AwsCredentials {
  if (!isRecord(value)) return false
  const { accessKeyId, secretAccessKey, sessionToken } = value
  const isToken = sessionToken === undefined || typeof sessionToken === 'string'
  return typeof accessKeyId === 'string' && accessKeyId !== '' && typeof secretAccessKey === 'string' && isToken
}

/** Returns keys of the environment, looked up for each request: a program may renew them. */
function environmentCredentials(environment: Environment): () => AwsCredentials | undefined {
  return () => {
    const {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    } = environment
    return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : undefined
  }
}

/** Headers that are signed beside those of the signature; a proxy may change others. */
const SIGNED_HEADERS: ReadonlySet<string> = new Set(['content-type'])

/** Creates the signer of requests: it leaves those alone that have an API key. */
function createSigner(
  credentials: Credentials | (() => AwsCredentials | undefined),
  {
    endpoint,
    region,
    now,
  }: { readonly endpoint: string; readonly region: string | undefined; readonly now: () => number },
): NonNullable<HttpWireInit['sign']> {
  return async ({ method, url, headers, body }, secrets) => {
    if (headers['authorization'] !== undefined) return {}
    const keys = typeof credentials === 'function' ? await credentials() : credentials
    // A gateway may need no signature.
    if (keys === undefined && !isOwnEndpoint(endpoint)) return {}
    if (!isCredentials(keys)) throw missingCredentials(typeof keys !== 'undefined')
    const clean = trimmed(keys)
    const secretTexts = [clean.secretAccessKey, clean.sessionToken, clean.accessKeyId].filter(
      (each) => each !== undefined,
    )
    for (const secret of secretTexts) if (secret) secrets.add(secret)
    if (secretTexts.some((text) => /[^\u0020-\u007e]/u.test(text))) throw wrongCredentials()
    const scope = { credentials: clean, region: region ?? regionOf(endpoint), service: 'bedrock', now: now() }
    const isSigned = ([name]: [string, string]): boolean => SIGNED_HEADERS.has(name) || name.startsWith('x-amz')
    const signed = Object.fromEntries(Object.entries(headers).filter(isSigned))
    return { headers: await signAws({ method, url, headers: signed, body }, scope) }
  }
}

/** Returns the region in the host of an endpoint, as in `bedrock-runtime.us-east-1.amazonaws.com`. */
function regionOf(endpoint: string): string {
  const region = /\b[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d\b/u.exec(new URL(endpoint).hostname)?.[0]
  if (region !== undefined) return region
  throw new XError(
    'invalid-config',
    'the config key `region` is missing, and `baseUrl` does not name a region: give it, such as `us-east-1`',
    { details: { key: 'region' } },
  )
}

/** Returns keys without the blanks and line breaks around them that a file or a variable may have, as of an API key. */
const trimmed = ({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials): AwsCredentials => ({
  accessKeyId: accessKeyId.trim(),
  secretAccessKey: secretAccessKey.trim(),
  sessionToken: sessionToken?.trim(),
})

// The error of `fetch` for a wrong header would tell nothing of keys.
const wrongCredentials = (): XError =>
  modelFailure('auth', 'the credentials of AWS hold characters that no key has: copy them again')

const missingCredentials = (isWrong: boolean): XError =>
  modelFailure(
    'auth',
    isWrong
      ? 'the function `credentials` does not return `{ accessKeyId, secretAccessKey }` with texts'
      : 'there are no credentials of AWS: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give `credentials` or an `apiKey` at the model',
  )

type HttpRefusal = Parameters<NonNullable<HttpWireInit['readRefusal']>>[0]

/** Exceptions whose status does not tell the kind. */
const EXCEPTION_KINDS: Readonly<Record<string, ModelErrorKind>> = {
  AccessDeniedException: 'auth',
  ExpiredTokenException: 'auth',
  ModelErrorException: 'server',
  ModelNotReadyException: 'overloaded',
  ServiceQuotaExceededException: 'quota',
}

/** Reads a refusal of AWS: its exception stands in a header, and its message has a small or a capital letter. */
function readRefusal(refusal: HttpRefusal): HttpRefusal {
  const { headers, body, status } = refusal
  const parsed = typeof body === 'string' ? parseJson(body) : body
  const type = (headers?.get('x-amzn-errortype') ?? '').split(':', 1)[0] || undefined
  if (!isRecord(parsed) || parsed['error'] !== undefined || type === undefined) return refusal
  const message = parsed['message'] ?? parsed['Message'] ?? type
  const text = typeof message === 'string' ? message : ''
  return {
    status,
    body: { error: { type, message } },
    headers: { get: (name) => headers?.get(name === 'request-id' ? 'x-amzn-requestid' : name) ?? null },
    kind: kindOfMessage(text) ?? (Object.hasOwn(EXCEPTION_KINDS, type) ? EXCEPTION_KINDS[type] : undefined),
  }
}

/** Tells kinds for which AWS has the same exception as for others. */
function kindOfMessage(message: string): ModelErrorKind | undefined {
  if (/model identifier is invalid/iu.test(message)) return 'not-found'
  return /tokens per day/iu.test(message) ? 'quota' : undefined
}
