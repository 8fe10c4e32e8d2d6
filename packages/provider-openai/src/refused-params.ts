import type { XError } from '@x/kernel'
import { vendorOf, type CheckedParams, type LowerContext, type LoweredRequest } from '@x/provider-kit'
import type { NamedProfile } from './endpoint-profiles.ts'

/**
 * Tells whether an endpoint refuses a parameter: one of another vendor, or one in its row of the table, unless it is written
 * for the endpoint in `providerOptions`.
 */
export function isRefused(key: string, { own }: CheckedParams, { name, refusedParams }: NamedProfile): boolean {
  if (key in own) return false
  if (refusedParams.includes(key)) return true
  switch (vendorOf(key)) {
    case 'google':
      return true
    case 'anthropic':
      // Many servers of open models take `thinking`, too.
      return key !== 'thinking' || isOpenAI(name)
    case 'open':
      return isOpenAI(name)
    default:
      return false
  }
}

/** Tells the endpoints of OpenAI and Azure. */
export const isOpenAI = (name: string): boolean => name === 'openai' || name === 'azure'

/** Returns the names of an endpoint in `providerOptions`: its row, and `openai` for OpenAI, Azure and unknown ones. */
export const optionNames = ({ name }: NamedProfile): readonly string[] =>
  isOpenAI(name) || name === 'compatible' ? [...new Set(['openai', name])] : [name]

/** Warns of a parameter that is left out because another vendor invented it. */
export function warnRefused(key: string, { name }: NamedProfile, warn: LowerContext['warn']): void {
  warn(
    'parameter',
    `\`${key}\` was left out: the endpoint (\`${name}\`) does not take it; write it in \`providerOptions: { ${name}: … }\` to send it all the same`,
  )
}

/** Endpoints that pass requests on to models of any vendor. */
export const GATEWAY_ENDPOINTS: ReadonlySet<string> = new Set(['openrouter', 'compatible'])

/** Returns parameters without the fields of tools that another vendor invented, unless the endpoint is a gateway. */
export function withOwnTools(params: CheckedParams, { name }: NamedProfile, warn: LowerContext['warn']): CheckedParams {
  const { tools } = params
  if (GATEWAY_ENDPOINTS.has(name) || !tools.some(hasForeign)) return params
  const withoutForeign = <T extends object>(fields: T): T => {
    const kept = Object.entries(fields).filter(([field]) => {
      const vendor = vendorOf(field, 'tool')
      if (vendor) warn('tools', `the field \`${field}\` of tools was left out: only \`${vendor}\` knows it`)
      return vendor === undefined
    })
    return Object.fromEntries(kept) as T
  }
  const ownTools = tools.map((tool) =>
    tool.function && hasForeign(tool) ? { ...withoutForeign(tool), function: withoutForeign(tool.function) } : tool,
  )
  return { ...params, tools: ownTools }
}

const hasForeign = ({ function: declared, ...fields }: CheckedParams['tools'][number]): boolean =>
  declared !== undefined &&
  [...Object.keys(fields), ...Object.keys(declared)].some((field) => vendorOf(field, 'tool') !== undefined)

/** Limits of `metadata` (`Metadata` of the SDK; https://openrouter.ai/docs/api-reference/chat-completion). */
const MAX_METADATA_PAIRS = 16
const MAX_METADATA_KEY_CHARS = 64
const MAX_METADATA_VALUE_CHARS = 512

/** Endpoints with these limits. */
const METADATA_ENDPOINTS: ReadonlySet<string> = new Set(['openai', 'azure', 'openrouter'])

/** Returns `metadata` as the endpoint takes it: short texts, and not many; what is written for the endpoint passes. */
export function fitMetadata(
  { metadata = {}, own }: CheckedParams,
  { name }: NamedProfile,
  warn: LowerContext['warn'],
): object {
  if ('metadata' in own || !METADATA_ENDPOINTS.has(name)) return metadata
  const pairs = Object.entries(metadata).filter(([, value]) => value !== null && value !== undefined)
  const texts = pairs.map(([key, value]): [string, string] => [
    key.slice(0, MAX_METADATA_KEY_CHARS),
    (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_METADATA_VALUE_CHARS),
  ])
  const isCut = pairs.some(
    ([key, value], n) => key !== texts[n]![0] || (typeof value === 'string' && value !== texts[n]![1]),
  )
  if (isCut || pairs.length > MAX_METADATA_PAIRS) {
    warn(
      'metadata',
      `\`metadata\` was cut: the endpoint takes ${MAX_METADATA_PAIRS} pairs, keys of ${MAX_METADATA_KEY_CHARS} characters and texts of ${MAX_METADATA_VALUE_CHARS}`,
    )
  }
  return Object.fromEntries(texts.slice(0, MAX_METADATA_PAIRS))
}

/** Parameters without which a request asks for the same. */
const DISPENSABLE_PARAMS: readonly string[] =
  `temperature top_p top_k min_p presence_penalty frequency_penalty stop seed
  logit_bias logprobs top_logprobs reasoning_effort verbosity service_tier parallel_tool_calls user metadata store
  safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention`.split(/\s+/u)

/** Names of the limit of an answer: where one is refused, the other is taken. */
const LIMITS = { max_tokens: 'max_completion_tokens', max_completion_tokens: 'max_tokens' } as const

/** Words of a refusal of a parameter itself. */
const REFUSED_PATTERN = /unsupported|unrecognized|not supported|does not support|not permitted/iu

/** Words of a refusal that names other values, or another API. */
const OTHER_REMEDY_PATTERN = /supported values|\/responses\b/iu

/** Remembers the parameters that models have refused, such as those behind the name of a deployment. */
export class RefusedParams {
  readonly #names = new Map<string, Set<string>>()

  /** Learns from the refusal of a request; returns whether the next one differs. */
  learn({ kind, message, details }: XError, { model, body }: Pick<LoweredRequest, 'model' | 'body'>): boolean {
    if (kind !== 'invalid-request' || !REFUSED_PATTERN.test(message) || OTHER_REMEDY_PATTERN.test(message)) return false
    const isNamed = (name: string): boolean =>
      name === details?.['param'] || ["'", '`', '"'].some((quote) => message.includes(quote + name + quote))
    const name = [...DISPENSABLE_PARAMS, ...Object.keys(LIMITS)].find((each) => each in body && isNamed(each))
    const names = this.#names.get(model) ?? new Set<string>()
    if (name === undefined || names.has(LIMITS[name as keyof typeof LIMITS])) return false
    this.#names.set(model, names.add(name))
    return true
  }

  /** Returns the body of a request without what its model has refused. */
  without(body: LoweredRequest['body'], model: string, warn: LowerContext['warn']): LoweredRequest['body'] {
    const names = this.#names.get(model)
    if (!names) return body
    const fitted = { ...body }
    for (const name of names) {
      if (!(name in body)) continue
      delete fitted[name]
      if (Object.hasOwn(LIMITS, name)) fitted[LIMITS[name as keyof typeof LIMITS]] ??= body[name]
      else warn('parameter', `\`${model}\` does not take \`${name}\`: it was left out`)
    }
    return fitted
  }
}
