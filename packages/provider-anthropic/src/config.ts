import type { ConfigEntry, RequestParams } from '@x/interfaces'
import { isHostOf, option, readOptions } from '@x/provider-kit'
import type { CacheLife } from './cache-points.ts'
import type { AnthropicModelFamily } from './family.ts'

/** Config keys that only Anthropic's adapter knows. */
export interface AnthropicKeys {
  /** Names of beta features; sent with those of a call and of `anthropic-beta` in `defaultHeaders`. */
  betas?: string | readonly string[] | undefined
  /** Abilities of the model; they win over those of the catalogue. */
  modelFamily?: Partial<AnthropicModelFamily> | undefined
  /** Whether and for how long the provider caches the beginning of a conversation; default false. */
  promptCache?: CacheLife | undefined
}

/** A config entry for Anthropic's Messages API. */
export interface AnthropicConfig extends AnthropicEntry {
  apiType?: 'anthropic' | undefined
}

/** A config entry for Claude on any platform. */
export interface AnthropicEntry extends ConfigEntry, AnthropicKeys {
  /** Request parameters for one provider alone. */
  providerOptions?:
    | {
        readonly anthropic?: AnthropicOptionsOfRequest | undefined
        readonly [provider: string]: Readonly<Record<string, unknown>> | undefined
      }
    | undefined
}

/** Request parameters for Anthropic alone. */
interface AnthropicOptionsOfRequest extends Omit<RequestParams, 'messages'>, AnthropicParams {
  readonly [parameter: string]: unknown
}

const CONFIG_KINDS = {
  betas: option.either(option.text, option.list(option.text)),
  modelFamily: option.shape<AnthropicModelFamily>(
    {
      known: option.boolean,
      maxTokens: option.number,
      thinking: option.oneOf('none', 'budget', 'adaptive'),
      leastBudget: option.number,
      mostBudget: option.number,
      thinkingOff: option.oneOf('disabled', 'disabled-to-high', 'between_tools', 'never'),
      efforts: option.list(option.text),
      forcedTools: option.oneOf('always', 'without-thinking', 'never'),
      sampling: option.oneOf('both', 'one', 'none'),
      prefill: option.boolean,
      structured: option.boolean,
      schema: option.oneOf('openai-strict', 'anthropic-strict', 'gemini', 'gemini-openapi'),
      images: option.boolean,
      contextWindow: option.number,
    },
    true,
  ),
  promptCache: option.oneOf(true, false, '5m', '1h'),
}

/** Names of the config keys that only this adapter knows. */
export const CONFIG_KEYS: readonly string[] = Object.keys(CONFIG_KINDS)

/** Reads the keys of a config entry that only this adapter knows; fails with `invalid-config` for a value of a wrong type. */
export function readConfig(config: ConfigEntry): AnthropicKeys {
  return readOptions<AnthropicKeys>(config, CONFIG_KINDS)
}

/** Request parameters of Anthropic that the adapter reads; other ones pass as they are. */
export interface AnthropicParams {
  readonly thinking?: Record<string, unknown> | undefined
  readonly output_config?: Record<string, unknown> | undefined
  readonly betas?: string | readonly string[] | undefined
}

const PARAM_KINDS = { thinking: option.object, output_config: option.object, betas: CONFIG_KINDS.betas }

/** Reads the request parameters that only this adapter knows; fails with `invalid-config` for a value of a wrong type. */
export function readOwnParams(params: Readonly<Record<string, unknown>>): AnthropicParams {
  return readOptions<AnthropicParams>(params, PARAM_KINDS, 'request parameter')
}

/** Names the variables of the environment in which the SDK looks for the key of a config. They are for the endpoint of the provider only. */
export function keyVariablesOf({ apiKey, baseUrl }: ConfigEntry): readonly string[] {
  if (apiKey || (baseUrl !== undefined && !isHostOf(baseUrl, 'anthropic.com'))) return []
  return ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']
}
