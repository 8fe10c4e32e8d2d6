import type { ModelClient } from './model-client.ts'
import type { ConfigEntry } from './llm-config.ts'

/** A module that exports a provider. */
export interface ProviderModule {
  /** Name of the package. */
  readonly specifier: string
  /** Name of the export. */
  readonly export: string
  /** URL of the module itself (`import.meta.url`), by which it is found from any package; default: by its name. */
  readonly url?: string | undefined
}

/** A vendor's adapter, as a value: no registry, no global state. */
export interface Provider {
  /** The `apiType`s it answers for. */
  readonly apiTypes: readonly string[]
  /** Where another thread can import it from; without it, it lives in this thread alone. */
  readonly module?: ProviderModule | undefined
  /** Version of this interface that the provider implements. */
  readonly specVersion: 1
  /** Keys of a config entry, beside the common ones, that go to the client and not on the wire. */
  readonly clientKeys?: readonly string[] | undefined
  /** Makes a client for one config entry. */
  createClient(config: ConfigEntry): ModelClient
}
