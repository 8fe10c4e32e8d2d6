import type { ConfigEntry } from './config-entry.ts'
import type { Io } from './io.ts'
import type { Logger } from './log-record.ts'
import type { Model } from './model.ts'

/** Filter for the entries of a config list. */
export interface ConfigFilter {
  /** Keeps entries of these models. */
  model?: string | readonly string[] | undefined
  /** Keeps entries with at least one of these labels. */
  tags?: string | readonly string[] | undefined
}

/** An immutable description of the models an agent may use, in order of preference. */
export interface LlmConfig {
  /** The plain configuration. */
  readonly config: Readonly<ConfigEntry> & { readonly configList?: readonly ConfigEntry[] | undefined }
  /** Returns a copy with some keys changed; `undefined` removes a key. */
  with(changes: ConfigEntry): LlmConfig
  /** Returns a copy with only the entries that match. */
  where(filter: ConfigFilter): LlmConfig
  /** Creates a model; with `replaces` it takes over the usage and the clients of that model. */
  createModel(options?: { io?: Io | undefined; logger?: Logger | undefined; replaces?: Model | undefined }): Model
}
