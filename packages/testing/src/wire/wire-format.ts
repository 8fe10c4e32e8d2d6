import type { LoggedRequest } from '../server/http-log.ts'
import { sseFrame } from '../server/sse-writer.ts'

/** One server-sent event. */
export interface WireFrame {
  /** Type of the event, if the provider names one. */
  readonly event?: string | undefined
  readonly data: string
}

/** An answer independent of any wire format. */
export interface PlainReply {
  readonly id?: string | undefined
  readonly model?: string | undefined
  /** Reasoning, with the signature that must come back. */
  readonly reasoning?: { readonly text: string; readonly signature: string } | undefined
  readonly text?: string | undefined
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args?: object }[] | undefined
  /** Finish reason; default: `tool_calls` when there are calls, else `stop`. */
  readonly finish?: 'stop' | 'length' | 'content_filter' | undefined
  /** Token counts; `prompt` and `completion` include their parts. */
  readonly usage?: PlainUsage | undefined
}

/** Token counts of an answer. */
export interface PlainUsage {
  readonly prompt: number
  readonly completion: number
  /** Part of the prompt that the provider's cache held. */
  readonly cached?: number | undefined
  /** Part of the completion. */
  readonly reasoning?: number | undefined
}

/** A request with a JSON body. */
export interface WireRequest extends Pick<LoggedRequest, 'method' | 'path' | 'query' | 'headers'> {
  /** Parsed body; empty when it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Status and message with which the real endpoint would refuse a request. */
export interface WireRefusal {
  readonly status: number
  readonly message: string
}

/** Wire format of a provider. */
export interface WireFormat {
  /** Name of the provider in messages. */
  readonly name: string
  /** Tells whether a request asks for a stream. */
  isStream(request: WireRequest): boolean
  /** Returns the reason why the real endpoint would refuse a request; undefined when it would accept it. */
  refusal(request: WireRequest): WireRefusal | undefined
  /** Builds the body of a complete answer. */
  whole(reply: PlainReply): object
  /** Builds the frames of a streamed answer. */
  frames(reply: PlainReply): readonly WireFrame[]
  /** Builds the body of an error. */
  errorBody(status: number, message: string): object
  /** Frame that reports, in the middle of a stream, that the provider is overloaded. */
  readonly overloaded: WireFrame
  /** Frame of a type that no client knows yet. */
  readonly unknown: WireFrame
}

/** Writes a frame of a stream as text. */
export function writeFrame({ event, data }: WireFrame): string {
  return sseFrame(data, { event })
}
