export { accepted, refusalIn } from './http/refusal.ts'
export { createAdapterClient, type AdapterInit, type AdapterPlatform } from './client/adapter-client.ts'
export {
  callId,
  createAnswerBuilder,
  type AnswerBuilder,
  type AnswerOrigin,
  type CallInit,
} from './answer/answer-builder.ts'
export { startCallClock, type CallClock } from './client/call-clock.ts'
export {
  messagesOf,
  toolNames,
  type AnswerReader,
  type Dialect,
  type LoweredRequest,
  type LowerContext,
  type Wire,
  type WireCall,
} from './client/dialect.ts'
export { modelFailure } from './failure/model-failure.ts'
export { flatHistory, type FlatOptions } from './message/flat-history.ts'
export { isHostOf } from './http/host.ts'
export { createHttpWire, type HttpWireInit } from './client/http-wire.ts'
export { parsedJson } from './json/parse-json.ts'
export { kindOf, type Refusal } from './failure/kind.ts'
export { mediaOf, type Media } from './message/media.ts'
export { objectSchema } from './json/object-schema.ts'
export { paired } from './message/pairing.ts'
export { costOf, priceOf, type ModelPrice, type PriceTable } from './answer/prices.ts'
export {
  isNetworkError,
  raiseFailure,
  raiseInBand,
  raiseRefusal,
  type FailureFacts,
  type HttpRefusal,
} from './failure/raise-failure.ts'
export { readFrames, readJson, type Readable } from './http/read-response.ts'
export { plainCause, redact } from './failure/redact.ts'
export { platformClock, retried, type RetryClock, type RetryOptions } from './client/retried.ts'
export { retrievedMessages, usageOf } from './answer/retrieval.ts'
export { retryAfterMs } from './failure/retry-after.ts'
export { secretsOf, shownUrl } from './failure/secrets.ts'
export { createSseReader, type ServerSentEvent, type SseReader } from './http/sse.ts'
export { isRecord } from './json/is-record.ts'
export { argumentsObject, argumentsText } from './message/tool-arguments.ts'
export { createTransport } from './http/transport.ts'
export { createIdMap, fingerprint, idsOf, type IdRule } from './message/tool-ids.ts'
export { createNameMap, type NameMap, type NameRule } from './message/tool-names.ts'
export {
  alternating,
  GO_ON,
  turnsOf,
  type CallTurnPart,
  type Conversation,
  type MediaTurnPart,
  type ResultTurnPart,
  type TextTurnPart,
  type Turn,
  type TurnPart,
  type TurnRules,
} from './message/turns.ts'
export { lawfulUsage, tokens, type UsageCounts } from './answer/usage.ts'
