import type { ChatMessage, ConfigEntry, ModelErrorKind, ModelParams, Provider } from '@x/interfaces'

/** One answer of the provider as it was recorded. */
export interface ProviderRecording {
  /** What is being recorded: shown in the names of tests. */
  readonly name: string
  /** Body of the complete answer. */
  readonly whole: string
  /** Bytes of the streamed answer, framing and all. */
  readonly stream: string
  /** What it says. */
  readonly says: {
    readonly text: string
    readonly calls?: readonly { readonly name: string; readonly arguments: string }[] | undefined
    readonly finish: string
  }
}

/** One failure of the provider. */
export interface ProviderFailure {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** What it must be taken for. */
  readonly kind: ModelErrorKind
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** What the suite needs to know of an adapter. */
export interface ProviderContract {
  readonly provider: Provider
  /** A config entry: model and, where needed, more; the suite adds key, base URL and `fetch`. */
  readonly config: ConfigEntry
  /** At least a text and two calls at once. */
  readonly recordings: readonly ProviderRecording[]
  /** At least one with each of the statuses 401, 404, 429, 500. */
  readonly failures: readonly ProviderFailure[]
  /** A frame, framing and all, by which the provider says in a stream that it failed; absent when it has none. */
  readonly errorFrame?: { readonly text: string; readonly kind: ModelErrorKind } | undefined
  /** A frame of a kind that does not exist yet. */
  readonly unknownFrame: string
  /** Tests that cannot apply, each with its reason. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[] | undefined
  /** Whether the adapter sends by the platform's `fetch` because its SDK takes none; it is then replaced meanwhile. */
  readonly globalFetch?: boolean | undefined
  /** Parameters and messages of the requests; default: one short question. */
  readonly params?: Omit<ModelParams, 'messages'> & { readonly messages?: readonly ChatMessage[] | undefined }
}

/** The key that must never be seen. */
export const CANARY = 'sk-canary-3f9a1c7e5b2d'
