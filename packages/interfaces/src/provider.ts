import type { ModelClient } from './model-client.ts'
import type { ConfigEntry } from './llm-config.ts'

/** A vendor's adapter, as a value: no registry, no global state. */
export interface Provider {
  /** The `apiType`s it answers for. */
  readonly apiTypes: readonly string[]
  /** Name of the package and of its export, by which another thread can import it; without it, it lives in this thread. */
  readonly module?: { readonly specifier: string; readonly export: string } | undefined
  /** Version of this interface that the provider implements. */
  readonly specVersion: 1
  /** Keys of a config entry, beside the common ones, that go to the client and not on the wire. */
  readonly clientKeys?: readonly string[] | undefined
  /** Makes a client for one config entry. */
  createClient(config: ConfigEntry): ModelClient
}
