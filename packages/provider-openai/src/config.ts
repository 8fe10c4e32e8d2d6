import type { ConfigEntry, RequestParams } from '@x/interfaces'
import { option, readOptions } from '@x/provider-kit'
import { ENDPOINTS, REASONING_FORMS, type EndpointName, type EndpointOverrides } from './endpoint-profiles.ts'

/** Sender of requests: no SDK, or the `openai` SDK. */
export type OpenAISdk = 'fetch' | 'openai'

/** Config keys that only OpenAI's adapter knows. */
export interface OpenAIKeys {
  /**
   * API for requests: chat completions, responses, or, with `auto`, the one that takes model and request; the client
   * remembers a refusal that names the other one. Default `auto`.
   */
  api?: 'auto' | 'chat' | 'responses' | undefined
  /**
   * Rules of the endpoint: the name of a row of the table in `docs/endpoints.md`, or single rules; default: by the host of
   * `baseUrl`.
   */
  endpointProfile?: EndpointName | EndpointOverrides | undefined
  /** Whether the model reasons; default: by its name. The name of a deployment does not tell. */
  reasoningModel?: boolean | undefined
  /** Sender of requests: `fetch` (no SDK; the default), or the package `openai`, which is loaded with the first request. */
  sdk?: OpenAISdk | undefined
  /**
   * Whether the model sees images and files in results of tools; default: by the catalogue, and for unknown models only at
   * OpenAI and Azure. Other models read a line of text for each.
   */
  toolImages?: boolean | undefined
  /** Whether streams ask for usage, which some servers refuse; default: by the endpoint; not for older Azure versions. */
  streamUsage?: boolean | undefined
}

/** A config entry for OpenAI, Azure OpenAI or a compatible endpoint. */
export interface OpenAIConfig extends ConfigEntry, OpenAIKeys {
  apiType?: 'openai' | 'azure' | undefined
  /** True for answers in the background, by the Responses API: the model asks for them until they are there. Default false. */
  background?: boolean | undefined
  /** Request parameters for one provider or endpoint alone. */
  providerOptions?:
    | {
        readonly openai?: OpenAIOptionsOfRequest | undefined
        readonly azure?: OpenAIOptionsOfRequest | undefined
        readonly [provider: string]: Readonly<Record<string, unknown>> | undefined
      }
    | undefined
}

/** Request parameters for OpenAI alone. */
interface OpenAIOptionsOfRequest extends Omit<RequestParams, 'messages'> {
  readonly include?: readonly string[] | undefined
  readonly prompt_cache_key?: string | undefined
  readonly prompt_cache_retention?: string | undefined
  readonly reasoning?: Readonly<Record<string, unknown>> | undefined
  readonly safety_identifier?: string | undefined
  readonly store?: boolean | undefined
  readonly truncation?: string | undefined
  readonly web_search_options?: Readonly<Record<string, unknown>> | undefined
  readonly [parameter: string]: unknown
}

/** Kinds that an endpoint can tell. */
const FAILURE_KINDS = [
  'timeout',
  'rate-limit',
  'quota',
  'overloaded',
  'server',
  'auth',
  'not-found',
  'invalid-request',
  'context-overflow',
  'content-filter',
] as const

type FailureRule = NonNullable<EndpointOverrides['failureRules']>[number]

const RULE_KIND = option.shape<FailureRule>({
  kind: option.oneOf(...FAILURE_KINDS),
  status: option.number,
  words: option.text,
})

/** A rule without a kind says nothing. */
const FAILURE_RULE_KIND: Parameters<typeof option.list<FailureRule>>[0] = {
  expected: `an object with a \`kind\`, one of ${FAILURE_KINDS.join(', ')}`,
  read(value, origin) {
    const { kind, ...rest } = RULE_KIND.read(value, origin) ?? {}
    return kind === undefined ? undefined : { ...rest, kind }
  },
}

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[]

const CONFIG_KINDS = {
  api: option.oneOf('auto', 'chat', 'responses'),
  endpointProfile: option.either(
    option.oneOf<readonly EndpointName[]>(...ENDPOINT_NAMES),
    option.shape<EndpointOverrides>({
      extends: option.oneOf<readonly EndpointName[]>(...ENDPOINT_NAMES),
      messageNames: option.oneOf('all', 'user', 'none'),
      callIdLength: option.oneOf('any', 9),
      limitKey: option.oneOf('max_tokens', 'max_completion_tokens', 'by-model'),
      reasoning: option.oneOf(...REASONING_FORMS),
      missingReasoning: option.text,
      systemRole: option.oneOf('system', 'by-model'),
      streamUsage: option.boolean,
      thinkTags: option.boolean,
      roleOrder: option.oneOf('any', 'answer-after-tool', 'alternating'),
      refusedParams: option.list(option.text),
      failureRules: option.list(FAILURE_RULE_KIND),
    }),
  ),
  reasoningModel: option.boolean,
  sdk: option.oneOf('fetch', 'openai'),
  toolImages: option.boolean,
  streamUsage: option.boolean,
}

/** Names of the config keys that only this adapter knows. */
export const CONFIG_KEYS: readonly string[] = Object.keys(CONFIG_KINDS)

/** Reads the keys of a config entry that only this adapter knows; fails with `invalid-config` for a value of a wrong type. */
export function readConfig(config: ConfigEntry): OpenAIKeys {
  return readOptions<OpenAIKeys>(config, CONFIG_KINDS)
}
