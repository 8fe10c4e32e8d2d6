import type { MaybePromise, ToolCall } from '@x/interfaces'
import type { Delay } from './delivery.ts'
import type { Splits, SseOptions } from './sse-writer.ts'

/** Failures that are a refusal: a status with the usual body for it. */
export type RefusedFailure =
  /** Too many requests; `retryAfter` says when to come back. */
  | '429'
  /** 429 because the account has nothing left. */
  | 'quota'
  /** The server broke. */
  | '500'
  /** Overloaded. */
  | '503'
  /** The key is wrong. */
  | '401'
  /** The key is right and may not do this. */
  | '403'
  /** No such model. */
  | '404'
  /** The request is wrong. */
  | '400'
  /** 400: too many tokens. */
  | 'context-overflow'
  /** 400: the prompt was refused. */
  | 'content-filter'

/** Failures of what travels: the connection breaks, stalls or ends too early, or what comes cannot be read. */
export type BrokenFailure =
  /** The connection breaks before there are headers. */
  | 'reset'
  /** The connection breaks in the middle of the answer. */
  | 'reset-midway'
  /** Nothing comes, not even headers. */
  | 'hang'
  /** The answer stalls in its middle. */
  | 'hang-midway'
  /** The answer ends properly in its middle, without saying that it has finished. */
  | 'cut'
  /** All of the answer comes except the mark that ends the stream. */
  | 'no-done'
  /** A piece of the stream, or the body, is no JSON. */
  | 'malformed'
  /** Status 200 and then an error, before any content. */
  | 'error-frame'
  /** An error in the middle of the content. */
  | 'error-frame-midway'
  /** 502 with a page for people. */
  | 'html'
  /** 200 and nothing. */
  | 'empty'

/** How a fake server fails, independent of the wire format. */
export type ServerFailure = RefusedFailure | BrokenFailure

/** What every reply may say about its transport. */
export interface Transport {
  /** Headers to send in addition. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Wait before the headers: milliseconds or a promise. */
  readonly headersAfter?: Delay | undefined
  /** Wait between the headers and the first content. */
  readonly firstTokenAfter?: Delay | undefined
  /** What ends a line of a streamed answer; default `\n`. */
  readonly eol?: SseOptions['eol']
  /** Where the bytes of a streamed answer are cut; default: a packet per event. */
  readonly splits?: Splits | undefined
}

/** One alternative of an answer. */
export interface ServerChoice {
  readonly content?: string | null | undefined
  /** The content as it is streamed; default: word by word. */
  readonly pieces?: readonly string[] | undefined
  /** What a reasoning model lets be seen of its thoughts, in the key that compatible servers use. */
  readonly reasoning_content?: string | undefined
  readonly refusal?: string | null | undefined
  readonly tool_calls?: readonly ToolCall[] | undefined
  readonly finish_reason?: string | undefined
}

/** Tokens that an answer reports; `null` for a server that does not say. */
export interface ServerUsage {
  readonly prompt: number
  readonly completion: number
  /** Part of `prompt`. */
  readonly cached?: number | undefined
  /** Part of `completion`. */
  readonly reasoning?: number | undefined
}

/** What an answer holds. */
export interface AnswerContent extends ServerChoice {
  /** Several alternatives instead of one; default: as many equal ones as the request's `n`. */
  readonly choices?: readonly ServerChoice[] | undefined
  /** Default 10 and 5 tokens. */
  readonly usage?: ServerUsage | null | undefined
  /** Model that answers; default: the one that was asked. */
  readonly model?: string | undefined
}

/** An answer of a fake server, and how it travels. */
export interface ServerAnswer extends AnswerContent, Transport {}

/** When to come back: seconds, milliseconds by OpenAI's own header, or a date. */
export type RetryAfter = number | { readonly ms: number } | { readonly date: Date | string }

/** A failure of a fake server. */
export interface FailedAnswer extends Transport {
  readonly failure: ServerFailure
  readonly retryAfter?: RetryAfter | undefined
  /** Status instead of the failure's own. */
  readonly status?: number | undefined
  /** The text of the error instead of the provider's. */
  readonly message?: string | undefined
  /** The answer of which the first part comes, for failures in the middle. */
  readonly answer?: AnswerContent | undefined
}

/** What a fake server does with a request: a text, an answer, a failure. */
export type ServerReply = string | ServerAnswer | FailedAnswer

/** Replies in order, or a function of the request that gives them. */
export type ServerScript<R> = ServerReply | readonly ServerReply[] | ((request: R) => MaybePromise<ServerReply>)
