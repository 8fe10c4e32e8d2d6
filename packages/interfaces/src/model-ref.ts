import type { ConfigEntry } from './config-entry.ts'
import type { Provider } from './provider.ts'

/**
 * A model of a provider as inert data, as in `openai('gpt-5-mini', { temperature: 0 })`: a config entry that brings its
 * provider along. No key is read and nothing is sent before a model of an `llmConfig` is asked. Printed, it shows no key.
 */
export interface ModelRef extends ConfigEntry {
  readonly provider: Provider
  readonly model: string
  /**
   * Environment variables in which the provider looks for its key when it is asked, in order. Empty if `apiKey` has the key,
   * and for endpoints of others, which get no key of the environment.
   */
  readonly environment: readonly string[]
}
