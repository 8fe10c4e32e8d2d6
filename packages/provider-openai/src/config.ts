import type { ConfigEntry } from '@x/interfaces'
import { option, readOptions } from '@x/provider-kit'

/** Config keys that only OpenAI's adapter knows. */
export interface OpenAIKeys {
  /**
   * API to ask: chat completions, responses, or, with `auto`, the one that takes model and request; a refusal that names
   * the other one is remembered as long as the client lives. Default `auto`.
   */
  api?: 'auto' | 'chat' | 'responses' | undefined
  /** Whether the model reasons; default: by its name, which the name of a deployment does not tell. */
  reasoningModel?: boolean | undefined
  /** Whether to ask for usage in streams, which some servers refuse; default: yes, except for older Azure versions. */
  streamUsage?: boolean | undefined
}

/** A config entry for OpenAI, Azure OpenAI or a compatible endpoint. */
export interface OpenAIConfig extends ConfigEntry, OpenAIKeys {
  apiType?: 'openai' | 'azure' | undefined
}

const KINDS = {
  api: option.oneOf('auto', 'chat', 'responses'),
  reasoningModel: option.boolean,
  streamUsage: option.boolean,
}

/** Names of the config keys that only this adapter knows. */
export const CONFIG_KEYS: readonly string[] = Object.keys(KINDS)

/** Reads the keys of a config entry that only this adapter knows; fails with `invalid-config` for a value of a wrong type. */
export function readConfig(config: ConfigEntry): OpenAIKeys {
  return readOptions<OpenAIKeys>(config, KINDS)
}
