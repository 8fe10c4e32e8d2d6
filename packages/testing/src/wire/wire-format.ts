/** One server-sent event as it is written. */
export interface WireFrame {
  /** Its type, where the provider names one. */
  readonly event?: string | undefined
  readonly data: string
}

/** An answer in no provider's words. */
export interface PlainReply {
  readonly id?: string | undefined
  readonly model?: string | undefined
  /** Reasoning, with the signature that must come back. */
  readonly reasoning?: { readonly text: string; readonly signature: string } | undefined
  readonly text?: string | undefined
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args?: object }[] | undefined
  /** Why the model stops; default: for its calls, else because it is done. */
  readonly finish?: 'stop' | 'length' | 'content_filter' | undefined
  /** Totals that include their parts. */
  readonly usage?: PlainUsage | undefined
}

/** Counts of an answer. */
export interface PlainUsage {
  readonly prompt: number
  readonly completion: number
  /** Part of the prompt that the provider's cache held. */
  readonly cached?: number | undefined
  /** Part of the completion. */
  readonly reasoning?: number | undefined
}

/** A request as it arrived. */
export interface WireRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Headers; a key reads `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Record<string, unknown>
}

/** Why the real endpoint would not take a request. */
export interface WireRefusal {
  readonly status: number
  readonly message: string
}

/** How one provider speaks. */
export interface WireFormat {
  /** Names it in messages. */
  readonly name: string
  /** Whether a request asks for a stream. */
  isStream(request: WireRequest): boolean
  /** Says why the real endpoint would refuse a request; nothing for one it takes. */
  refusal(request: WireRequest): WireRefusal | undefined
  /** The body of a complete answer. */
  whole(reply: PlainReply): object
  /** The frames of a streamed answer. */
  frames(reply: PlainReply): readonly WireFrame[]
  /** The body of a refusal. */
  errorBody(status: number, message: string): object
  /** A frame that says in the middle of a stream that the provider is overloaded. */
  readonly overloaded: WireFrame
  /** A frame of a kind that does not exist yet. */
  readonly unknown: WireFrame
}

/** Gives frames as bytes of a stream. */
export function frameText({ event, data }: WireFrame): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`
}
