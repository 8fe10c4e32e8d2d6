import type { ChatMessage } from './message.ts'
import type { FunctionSchema, ToolSchema } from './tool.ts'

/**
 * Request parameters that providers share, in the names of OpenAI's wire format; null counts as absent. An adapter
 * translates each, and leaves out with a warning what the model does not take.
 */
export interface RequestParams {
  model?: string | undefined
  messages?: readonly ChatMessage[] | undefined
  /** Sampling temperature, usually from 0 to 2. */
  temperature?: number | null | undefined
  /** Cumulative probability of the tokens that sampling considers, from 0 to 1. */
  top_p?: number | null | undefined
  /** Number of candidate tokens that sampling considers. */
  top_k?: number | null | undefined
  /** Most tokens of the answer. */
  max_tokens?: number | null | undefined
  /** Most tokens of the answer, with reasoning; wins over `max_tokens`. */
  max_completion_tokens?: number | null | undefined
  /** Texts that end the answer. */
  stop?: string | readonly string[] | null | undefined
  /** Makes sampling repeatable where it can be. */
  seed?: number | null | undefined
  /** Number of alternative answers; default 1. */
  n?: number | null | undefined
  /** Penalty for tokens that occurred, from -2 to 2. */
  presence_penalty?: number | null | undefined
  /** Penalty for tokens by their frequency so far, from -2 to 2. */
  frequency_penalty?: number | null | undefined
  /** Bias of tokens by their id, from -100 to 100. */
  logit_bias?: Readonly<Record<string, number>> | null | undefined
  /** Whether to return probabilities of tokens; a number for the older endpoint of prompts. */
  logprobs?: boolean | number | null | undefined
  /** Number of alternative tokens with probabilities. */
  top_logprobs?: number | null | undefined
  /** Functions that the model may call, and tools of the provider as they are sent. */
  tools?: readonly (ToolSchema | { readonly type: string; readonly [key: string]: unknown })[] | undefined
  /** Choice of tools: any or none (`auto`), none, at least one (`required`), or a named tool. */
  tool_choice?:
    | 'auto'
    | 'none'
    | 'required'
    | { readonly type: 'function'; readonly function: { readonly name: string } }
    | (string & {})
    | { readonly [key: string]: unknown }
    | null
    | undefined
  /** Whether several calls may come at once. */
  parallel_tool_calls?: boolean | null | undefined
  /** The older form of `tools`. */
  functions?: readonly FunctionSchema[] | null | undefined
  /** The older form of `tool_choice`. */
  function_call?: 'auto' | 'none' | (string & {}) | { readonly name: string } | null | undefined
  /** Format of the answer: a JSON Schema, one of zod or a similar library, or the wire's own form. */
  response_format?: object | null | undefined
  /** How much the model reasons. */
  reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | (string & {}) | null | undefined
  /** How long answers are. */
  verbosity?: 'low' | 'medium' | 'high' | (string & {}) | null | undefined
  /** Tier of service to be billed for. */
  service_tier?: string | null | undefined
  /** Id of the end user. */
  user?: string | null | undefined
  /** Labels that the provider stores. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined
}

/** Options that adapters read and do not send as parameters. */
export interface RequestExtras {
  /** Fields of the body in the provider's form; they win over those of the adapter. */
  extra_body?: Readonly<Record<string, unknown>> | null | undefined
  /** HTTP headers; they win over `defaultHeaders`, and null removes one. Their values count as secrets. */
  extra_headers?: Readonly<Record<string, string | null>> | null | undefined
  /** True to return the provider's body as `raw` of the answer. Default false. */
  includeRaw?: boolean | null | undefined
  /** Parameters for one provider, by its name; they win over the others and are never left out. */
  providerOptions?: { readonly [provider: string]: Readonly<Record<string, unknown>> | undefined } | null | undefined
}
