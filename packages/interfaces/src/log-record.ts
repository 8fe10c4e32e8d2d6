/** A wrapper was created. */
export interface NewWrapperRecord {
  record: 'newWrapper'
  wrapperId: number
  /** Constructor arguments, keys redacted. */
  args: Record<string, unknown>
}

/** A model was asked: answered, answered by a cache, or failed. */
export interface ChatCompletionRecord {
  record: 'chatCompletion'
  invocationId: string
  /** Index of the config. */
  clientId: number
  wrapperId: number
  /** Name of the agent that asked. */
  agent: string | null
  request: Record<string, unknown>
  /** The answer, or `error_code:<code>, config <i> failed`. */
  response: unknown
  isCached: 0 | 1
  /** Cost in US dollars; 0 on failure. */
  cost: number
  /** Milliseconds since 1970. */
  startTime: number
  /** The span of the attempt by the W3C recommendation: version, trace id, span id and flags. Absent without a tracer. */
  traceparent?: string
}

/** The cache in which an answer of a config is looked up. */
export interface CacheSeedRecord {
  record: 'cacheSeedValue'
  wrapperId: number
  clientId: number
  /** Name of the cache, its seed, or null for none. */
  cache: string | number | null
}

/** A reply function was run. */
export interface ReplyFuncRecord {
  record: 'replyFuncExecuted'
  /** Name of the agent. */
  source: string
  replyFuncModule: string
  replyFuncName: string
  final: boolean
  reply: unknown
  /** The span around the reply, as of a `ChatCompletionRecord`. */
  traceparent?: string
}

/** One record of the log; it never contains a secret. */
export type LogRecord = NewWrapperRecord | ChatCompletionRecord | CacheSeedRecord | ReplyFuncRecord

/** Receives log records; passing one to a model or an agent turns logging on. */
export interface Logger {
  log(record: LogRecord): void
}
