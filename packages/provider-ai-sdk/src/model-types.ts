/**
 * A language model of the AI SDK's provider interface, version 3 or 4: what the functions of `@ai-sdk/cohere` and other
 * packages return.
 */
export interface AiSdkModel {
  readonly specificationVersion: 'v3' | 'v4'
  /** Name of the provider, such as `cohere.chat`. */
  readonly provider: string
  readonly modelId: string
  /** Links by media type that the model reads by itself. */
  readonly supportedUrls: object
  /** Asks for a complete answer, by one request. */
  doGenerate(options: never): PromiseLike<object>
  /** Asks for a stream, by one request. */
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream }>
}

/** A part of a prompt, of an answer or of a stream. */
export type Part = Record<string, unknown> & { readonly type: string }

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | Part[]
  readonly providerOptions?: object | undefined
}

/** Counts of tokens; every field may be missing. */
export interface PartUsage {
  readonly inputTokens?: {
    readonly total?: unknown
    readonly cacheRead?: unknown
    readonly cacheWrite?: unknown
  } | null
  readonly outputTokens?: { readonly total?: unknown; readonly reasoning?: unknown } | null
  readonly raw?: unknown
}

/** A complete answer, as far as it is read; every field may be missing. */
export interface GenerateResult {
  readonly content?: readonly Part[] | null
  readonly finishReason?: unknown
  readonly usage?: PartUsage | null | undefined
  readonly providerMetadata?: unknown
  readonly response?: ResponseFacts | null
  readonly warnings?: readonly unknown[] | null
}

/** Facts of a response. */
export interface ResponseFacts {
  readonly id?: unknown
  readonly modelId?: unknown
  readonly timestamp?: unknown
  readonly headers?: Readonly<Record<string, string>> | null
}
