import type { ModelClient } from './model-client.ts'
import type { ConfigEntry } from './config-entry.ts'

/** A module that exports a provider. */
export interface ProviderModule {
  /** Name of the package. */
  readonly specifier: string
  /** Name of the export. */
  readonly export: string
  /** URL of the module (`import.meta.url`), to import it from any package; default: import by `specifier`. */
  readonly url?: string | undefined
}

/** Adapter for one vendor, listed in `providers` of an `llmConfig`. */
export interface Provider {
  /** Values of `apiType` that select this provider. */
  readonly apiTypes: readonly string[]
  /** Module to import the provider from in another thread; blocking calls need it. */
  readonly module?: ProviderModule | undefined
  /** Version of this interface. */
  readonly specVersion: 1
  /** Config keys of this provider alone; they go to the client and are not sent as request parameters. */
  readonly clientKeys?: readonly string[] | undefined
  /** Creates a client for one config entry. */
  createClient(config: ConfigEntry): ModelClient
}
