import type { ModelErrorKind } from '@x/interfaces'
import type { PlainUsage } from '../wire/wire-format.ts'

/** A part of a message, in no vendor's words. */
export type PlainPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'link'; readonly url: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'call'; readonly id?: string | undefined; readonly name: string; readonly args: unknown }
  | {
      readonly type: 'result'
      /** Identifier of the call; undefined on a wire without identifiers. */
      readonly id?: string | undefined
      /** Name of the tool, where a result has one. */
      readonly name?: string | undefined
      readonly parts: readonly PlainPart[]
      /** Whether the tool failed, where a result says so. */
      readonly failed?: boolean | undefined
    }

/** A message, in no vendor's words. Results of tools may stand in any message but those of the assistant. */
export interface PlainMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly parts: readonly PlainPart[]
}

/** A request as a server of the vendor understands it, in no vendor's words. */
export interface PlainRequest {
  readonly model: string
  /** Whether the answer is to be streamed. */
  readonly stream: boolean
  /** All messages in their order; texts of the system may stand first or where the wire has them. */
  readonly messages: readonly PlainMessage[]
  /** Functions; default: none. */
  readonly tools?:
    | readonly {
        readonly name: string
        readonly description?: string | undefined
        readonly parameters?: object | undefined
      }[]
    | undefined
  /** Whether a tool is called; a name for one that has to be called; default `auto`. */
  readonly choice?: 'auto' | 'none' | 'required' | { readonly name: string } | undefined
  /** Whether more than one tool may be called at once; default true. */
  readonly parallelCalls?: boolean | undefined
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly seed?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  /** Level of `reasoning_effort`. */
  readonly effort?: string | undefined
  /** Number of answers; default 1. */
  readonly n?: number | undefined
  /** Schema of the answer, or `json` for any JSON; default: a text. */
  readonly format?: 'json' | object | undefined
}

/** A call of an answer that the suite serves. */
export interface PlainCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A piece of a streamed answer. */
export type PlainPiece =
  | { readonly type: 'text' | 'reasoning'; readonly choice: number; readonly text: string }
  /** A whole call, for wires with `calls: 'whole'`. */
  | ({ readonly type: 'call'; readonly choice: number; readonly call: number } & PlainCall)
  /** The pieces of a call, for other wires; `text` is a piece of the JSON text of its arguments. */
  | {
      readonly type: 'callStart'
      readonly choice: number
      readonly call: number
      readonly id: string
      readonly name: string
    }
  | { readonly type: 'callDelta'; readonly choice: number; readonly call: number; readonly text: string }
  | { readonly type: 'callEnd'; readonly choice: number; readonly call: number }
  /** The end of a choice, with the word of the wire. */
  | { readonly type: 'finish'; readonly choice: number; readonly word: string }

/** An answer that the suite serves: whole in `choices`, and piece by piece in `pieces`. */
export interface PlainAnswer {
  readonly id: string
  readonly model: string
  /** Seconds since 1970. */
  readonly created: number
  readonly choices: readonly {
    readonly reasoning: string
    readonly text: string
    readonly calls: readonly PlainCall[]
    /** Reason of the end, in the word of the wire. */
    readonly finish: string
  }[]
  readonly pieces: readonly PlainPiece[]
  /** Token counts; null for an answer without. */
  readonly usage: PlainUsage | null
}

/**
 * Something that a wire does not have. An input that a request cannot carry has to be refused, or left out with a warning;
 * facts that an answer does not tell are not compared.
 */
export type MissingFeature =
  | 'images'
  /** Texts of one content become one text, without anything between them. */
  | 'text-parts'
  | 'image-links'
  /** Documents, such as PDF. */
  | 'files'
  /** Images have no place among the texts of their message. */
  | 'image-order'
  | 'result-images'
  | 'result-names'
  | 'result-failures'
  | 'call-ids'
  | 'choice-none'
  | 'choice-required'
  | 'choice-named'
  | 'parallel_tool_calls'
  | 'max_tokens'
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'stop'
  | 'seed'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'reasoning_effort'
  | 'n'
  | 'json'
  | 'schema'
  /** A schema beside tools. */
  | 'schema-with-tools'
  | 'answer-id'
  | 'answer-model'
  | 'answer-created'
  | 'reasoning'
  /** Reasoning of an answer does not go back with the history. */
  | 'reasoning-history'
  | 'usage-cached'
  | 'usage-reasoning'
  /** Every answer has token counts. */
  | 'usage-null'
  /** A stream has no last frame: it ends with the connection. */
  | 'stream-end'
  /** A call in pieces has no end of its own. */
  | 'call-end'

/** Meaning of a wire. With it, the suite compares whole conversations and answers, over generated ones. */
export interface WireMeaning {
  /** Reads the body of a request as a server of the vendor does: everything that it says, and nothing else. */
  readonly decode: (body: Readonly<Record<string, unknown>>, request: { readonly url: string }) => PlainRequest
  /** Writes the body of a complete answer. */
  readonly whole: (answer: PlainAnswer) => object
  /** Writes the frames of a streamed answer, each with its framing. */
  readonly frames: (answer: PlainAnswer) => readonly string[]
  /** The words of the wire for the end of an answer, with the finish reason that each means. */
  readonly finish: Readonly<Record<string, string>>
  /** How calls arrive in a stream: whole, in pieces one after the other, or in pieces that alternate; default `whole`. */
  readonly calls?: 'whole' | 'pieces' | 'interleaved' | undefined
  /** Features that the wire does not have. */
  readonly lacks?: readonly MissingFeature[] | undefined
  /** True if the provider demands that turns of user and assistant alternate; default false. */
  readonly alternates?: boolean | undefined
  /** Identifiers of calls that the provider takes; default: any. */
  readonly ids?: RegExp | undefined
  /** Names of tools that the provider takes; default: any. */
  readonly names?: RegExp | undefined
  /** URL of a request if the config has no `baseUrl`. */
  readonly url?: string | undefined
  /** Headers of a request that carry a key. */
  readonly headers?: ((key: string) => Readonly<Record<string, string>>) | undefined
  /** Variable of the environment with the key of a config without one. */
  readonly environmentKey?: string | undefined
  /** Name of the provider in `providerOptions` and `provider_metadata`. */
  readonly key?: string | undefined
  /** Facts about the model of the config: abilities as the client tells them, US dollars per 1,000,000 tokens. */
  readonly facts?:
    | {
        readonly capabilities: Readonly<Record<string, unknown>>
        readonly price?: { readonly input: number; readonly output: number } | undefined
        /** Fields of the provider, such as its `name`, or the `module` from which blocking calls import it. */
        readonly provider?: object | undefined
      }
    | undefined
  /** Bodies of complete answers, with status 200, that report the failure of `errorFrame`; default: none. */
  readonly errorBodies?: readonly string[] | undefined
  /** Other frames that report a failure, each with its framing; default: none. */
  readonly errorFrames?: readonly { readonly text: string; readonly kind: ModelErrorKind }[] | undefined
}
