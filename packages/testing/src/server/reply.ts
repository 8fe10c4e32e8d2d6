import type { MaybePromise, ToolCall } from '@x/interfaces'
import type { Delay } from './delivery.ts'
import type { Splits, SseOptions } from './sse-writer.ts'

/** Failures by status, with the provider's usual body. */
export type RefusedFailure =
  /** Status 429: too many requests; `retryAfter` adds the retry headers. */
  | '429'
  /** Status 429: the account has no credit left. */
  | 'quota'
  /** Status 500: the server failed. */
  | '500'
  /** Status 503: overloaded. */
  | '503'
  /** Status 401: the key is wrong. */
  | '401'
  /** Status 403: the key has no permission. */
  | '403'
  /** Status 404: there is no such model. */
  | '404'
  /** Status 400: the request is wrong. */
  | '400'
  /** Status 400: the context is too long. */
  | 'context-overflow'
  /** Status 400: the prompt was refused. */
  | 'content-filter'

/** Failures of the connection or the body: it breaks, stalls, ends too early, or cannot be parsed. */
export type BrokenFailure =
  /** The connection breaks before there are headers. */
  | 'reset'
  /** The connection breaks in the middle of the answer. */
  | 'reset-midway'
  /** Nothing is sent, not even headers. */
  | 'hang'
  /** The answer stalls in its middle. */
  | 'hang-midway'
  /** The connection closes properly in the middle of the answer, before its finish reason. */
  | 'cut'
  /** The whole answer, without the mark that ends the stream. */
  | 'no-done'
  /** A piece of the stream, or the body, is not JSON. */
  | 'malformed'
  /** Status 200 and then an error, before any content. */
  | 'error-frame'
  /** An error in the middle of the content; by the Responses API a `response.failed`. */
  | 'error-frame-midway'
  /** Status 502 with an HTML page. */
  | 'html'
  /** Status 200 with an empty body. */
  | 'empty'

/** A failure of a fake server, independent of the wire format. */
export type ServerFailure = RefusedFailure | BrokenFailure

/** Transport options of a reply. */
export interface Transport {
  /** Headers to send in addition. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Wait before the headers: milliseconds or a promise. */
  readonly headersAfter?: Delay | undefined
  /** Wait between the headers and the first content. */
  readonly firstTokenAfter?: Delay | undefined
  /** Line ending of a streamed answer; default `\n`. */
  readonly eol?: SseOptions['eol']
  /** Cuts the bytes of a streamed answer into packets; default: a packet per event. */
  readonly splits?: Splits | undefined
}

/** One choice of an answer. */
export interface ServerChoice {
  readonly content?: string | null | undefined
  /** The content as it is streamed; default: word by word. */
  readonly pieces?: readonly string[] | undefined
  /** Visible reasoning of the model, in the key that OpenAI-compatible servers use. */
  readonly reasoning_content?: string | undefined
  readonly refusal?: string | null | undefined
  readonly tool_calls?: readonly ToolCall[] | undefined
  /** Further items of an answer by the Responses API, such as uses of the provider's own tools; they come before the text. */
  readonly items?: readonly object[] | undefined
  readonly finish_reason?: string | undefined
}

/** Tokens that an answer reports; `null` for a server that reports none. */
export interface ServerUsage {
  readonly prompt: number
  readonly completion: number
  /** Part of `prompt`. */
  readonly cached?: number | undefined
  /** Part of `completion`. */
  readonly reasoning?: number | undefined
}

/** Content of an answer. */
export interface AnswerContent extends ServerChoice {
  /** Several choices instead of one; default: `n` equal ones, as requested. */
  readonly choices?: readonly ServerChoice[] | undefined
  /** Token counts; default: 10 and 5. */
  readonly usage?: ServerUsage | null | undefined
  /** Model that answers; default: the requested one. */
  readonly model?: string | undefined
}

/** An answer of a fake server, with its transport options. */
export interface ServerAnswer extends AnswerContent, Transport {}

/** Delay before a retry: seconds, milliseconds (OpenAI's own header), or a date. */
export type RetryAfter = number | { readonly ms: number } | { readonly date: Date | string }

/** A failure of a fake server. */
export interface FailedAnswer extends Transport {
  readonly failure: ServerFailure
  readonly retryAfter?: RetryAfter | undefined
  /** Status instead of the failure's own. */
  readonly status?: number | undefined
  /** The text of the error instead of the provider's. */
  readonly message?: string | undefined
  /** The answer that a failure in the middle cuts off. */
  readonly answer?: AnswerContent | undefined
}

/** Reply of a fake server to one request: a text, an answer or a failure. */
export type ServerReply = string | ServerAnswer | FailedAnswer

/** Replies in order, or a function from a request to its reply. */
export type ServerScript<R> = ServerReply | readonly ServerReply[] | ((request: R) => MaybePromise<ServerReply>)
