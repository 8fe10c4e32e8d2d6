import type {
  AnswerDetails,
  Budget,
  ChatMessage,
  ConfigEntry,
  Io,
  Model,
  ModelErrorKind,
  ModelParams,
  Provider,
} from '@x/interfaces'
import type { WireMeaning } from './meaning.ts'

/** One recorded answer of a provider. */
export interface ProviderRecording {
  /** Name in the titles of the tests. */
  readonly name: string
  /** Body of the complete answer. */
  readonly whole: string
  /** Bytes of the streamed answer, framing and all. */
  readonly stream: string
  /** Expected content. */
  readonly says: {
    readonly text: string
    readonly calls?: readonly { readonly name: string; readonly arguments: string }[] | undefined
    readonly finish: string
    /** Parts beside the message that must be there, among others. */
    readonly details?: AnswerDetails | undefined
    /** Visible reasoning in the stream; default: none. */
    readonly reasoning?: string | undefined
    /** Token counts, with their parts in them; null when the provider reports none. */
    readonly usage: RecordedUsage | null
  }
}

/** Token counts of a recorded answer. */
export interface RecordedUsage {
  readonly prompt: number
  readonly completion: number
  /** Part of `prompt` that the provider's cache held. */
  readonly cached?: number | undefined
  /** Part of `completion` spent on reasoning. */
  readonly reasoning?: number | undefined
}

/** One failure of a provider. */
export interface ProviderFailure {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Expected kind. */
  readonly kind: ModelErrorKind
  /** Delay that the provider asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** A model with an account of its requests. */
interface AccountedModel extends Model {
  readonly ledger: readonly {
    readonly usage: { readonly cost: number | null }
    readonly estimated?: boolean | undefined
  }[]
}

/** The parts of `@x/model` that the suite of billing uses. */
export interface BillingModel {
  readonly ModelWrapper: new (
    options: ConfigEntry & {
      readonly providers: readonly Provider[]
      readonly configList: readonly ConfigEntry[]
      readonly io: Io
    },
  ) => AccountedModel
  readonly createBudget: (options: {
    readonly cost?: number
    readonly calls?: number
    readonly strict: boolean
    readonly minTokens: number
  }) => Budget
}

/** Description of an adapter for `providerContract`. */
export interface ProviderContract {
  readonly provider: Provider
  /** Config entry with the model and other settings; the suite adds key, base URL and `fetch`. */
  readonly config: ConfigEntry
  /** Recorded answers; at least one with a text and one with two tool calls. Default: answers that `meaning` writes. */
  readonly recordings?: readonly ProviderRecording[] | undefined
  /**
   * Meaning of the wire: with it, the suite compares whole requests with what was asked, and whole answers with what was
   * served.
   */
  readonly meaning?: WireMeaning | undefined
  /** At least one with each of the statuses 401, 404, 429, 500. */
  readonly failures: readonly ProviderFailure[]
  /** Frame, with its framing, that reports a failure within a stream; absent when the provider has none. */
  readonly errorFrame?: { readonly text: string; readonly kind: ModelErrorKind } | undefined
  /** A frame of a type that no client knows yet. */
  readonly unknownFrame: string
  /** Tests that do not apply, each with the reason. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[] | undefined
  /** Replaces the global `fetch` during a test, for an SDK that accepts no `fetch`; default false. */
  readonly globalFetch?: boolean | undefined
  /**
   * The package `@x/model`, as `import * as model from '@x/model'` gives it. With it, the suite also compares what budgets,
   * limiters and ledgers say with what a provider bills, fault by fault.
   */
  readonly model?: BillingModel | undefined
  /** Parameters and messages of the requests; default: one short question. */
  readonly params?: Omit<ModelParams, 'messages'> & { readonly messages?: readonly ChatMessage[] | undefined }
}

/** Description of an adapter with recordings. */
export interface CompleteContract extends ProviderContract {
  readonly recordings: readonly FramedRecording[]
}

/** A recording; one that `meaning` writes has the frames of its stream, whose framing may be any. */
export interface FramedRecording extends ProviderRecording {
  readonly frames?: readonly string[] | undefined
}

/** API key of the suite; no error, event or log may contain it. */
export const CANARY_KEY = 'sk-canary-3f9a1c7e5b2d'
