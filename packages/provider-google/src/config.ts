import type { ConfigEntry, RequestParams } from '@x/interfaces'
import { option, readOptions } from '@x/provider-kit'
import type { GoogleModelFamily } from './family.ts'

/** Sender of requests: no SDK, the newer one, or the older one. */
export type GoogleSdk = 'fetch' | 'genai' | 'generative-ai'

/** Config keys that only Google's adapter knows. */
export interface GoogleKeys {
  /** Name of content that the provider caches. */
  cachedContent?: string | undefined
  /** Whether calls and results carry their ids; default: yes, except on Vertex. */
  functionCallIds?: boolean | undefined
  /** Fields of `generationConfig`; they win over those of request parameters. */
  generationConfig?: Record<string, unknown> | undefined
  /** Abilities of the model; they win over those of the catalogue. */
  modelFamily?: Partial<GoogleModelFamily> | undefined
  /** Whether schemas are sent in the older subset of OpenAPI; default false. */
  openApiSchemas?: boolean | undefined
  /** `safetySettings` in the form of the provider. */
  safetySettings?: readonly Record<string, unknown>[] | undefined
  /** Sender of requests: `fetch` (no SDK; the default), `@google/genai` or `@google/generative-ai`. */
  sdk?: GoogleSdk | undefined
  /** Fields of `thinkingConfig`; they win over `reasoning_effort`. */
  thinkingConfig?: Record<string, unknown> | undefined
}

/** A config entry for Google's generateContent API. */
export interface GoogleConfig extends ConfigEntry, GoogleKeys {
  apiType?: 'google' | undefined
  /** Request parameters for one provider alone. */
  providerOptions?:
    | {
        readonly google?: GoogleOptionsOfRequest | undefined
        readonly [provider: string]: Readonly<Record<string, unknown>> | undefined
      }
    | undefined
}

/** Request parameters for Google alone. */
interface GoogleOptionsOfRequest extends Omit<RequestParams, 'messages'>, GoogleParams {
  readonly [parameter: string]: unknown
}

const CONFIG_KINDS = {
  cachedContent: option.text,
  functionCallIds: option.boolean,
  generationConfig: option.object,
  modelFamily: option.shape<GoogleModelFamily>(
    {
      system: option.boolean,
      thinking: option.oneOf('none', 'budget', 'level'),
      leastBudget: option.number,
      mostBudget: option.number,
      levels: option.list(option.text),
      signed: option.boolean,
      jsonWithTools: option.boolean,
      mediaResults: option.boolean,
      images: option.boolean,
      sampling: option.oneOf('both', 'one', 'without-thinking', 'no-temperature', 'none'),
      penalties: option.boolean,
      forcedTools: option.oneOf('always', 'without-thinking', 'never'),
      schema: option.oneOf('openai-strict', 'anthropic-strict', 'gemini', 'gemini-openapi'),
      contextWindow: option.number,
      maxTokens: option.number,
    },
    true,
  ),
  openApiSchemas: option.boolean,
  safetySettings: option.list(option.object),
  sdk: option.oneOf('fetch', 'genai', 'generative-ai'),
  thinkingConfig: option.object,
}

/** Names of the config keys that only this adapter knows. */
export const CONFIG_KEYS: readonly string[] = Object.keys(CONFIG_KINDS)

/** Reads the keys of a config entry that only this adapter knows; fails with `invalid-config` for a value of a wrong type. */
export function readConfig(config: ConfigEntry): GoogleKeys {
  return readOptions<GoogleKeys>(config, CONFIG_KINDS)
}

/** Request parameters that only Google knows. */
export interface GoogleParams {
  readonly cached_content?: string | undefined
  readonly generation_config?: Record<string, unknown> | undefined
  readonly labels?: Record<string, unknown> | undefined
  readonly safety_settings?: readonly Record<string, unknown>[] | undefined
  readonly thinking_config?: Record<string, unknown> | undefined
}

const PARAM_KINDS = {
  cached_content: option.text,
  generation_config: option.object,
  labels: option.object,
  safety_settings: option.list(option.object),
  thinking_config: option.object,
}

/** Names of the request parameters that only this adapter knows. */
export const PARAM_KEYS: ReadonlySet<string> = new Set(Object.keys(PARAM_KINDS))

/** Reads the request parameters that only this adapter knows; fails with `invalid-config` for a value of a wrong type. */
export function readOwnParams(params: Readonly<Record<string, unknown>>): GoogleParams {
  return readOptions<GoogleParams>(params, PARAM_KINDS, 'request parameter')
}
