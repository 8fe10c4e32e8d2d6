export { accepted, refusalIn } from './accepted.ts'
export { createAdapterClient, type AdapterInit, type AdapterPlatform } from './adapter-client.ts'
export { callId, createAnswerBuilder, type AnswerBuilder, type AnswerOrigin, type CallInit } from './answer-builder.ts'
export { startCallClock, type CallClock } from './call-clock.ts'
export {
  messagesOf,
  toolNames,
  type AnswerReader,
  type Dialect,
  type LoweredRequest,
  type LowerContext,
  type Wire,
  type WireCall,
} from './dialect.ts'
export { modelFailure } from './failure.ts'
export { flatHistory, type FlatOptions } from './flat-history.ts'
export { isHostOf } from './host.ts'
export { createHttpWire, type HttpWireInit } from './http-wire.ts'
export { parsedJson } from './json.ts'
export { kindOf, type Refusal } from './kind.ts'
export { mediaOf, type Media } from './media.ts'
export { objectSchema } from './object-schema.ts'
export { paired } from './pairing.ts'
export { costOf, priceOf, type ModelPrice, type PriceTable } from './prices.ts'
export {
  isNetworkError,
  raiseFailure,
  raiseInBand,
  raiseRefusal,
  type FailureFacts,
  type HttpRefusal,
} from './raise-failure.ts'
export { readFrames, readJson, type Readable } from './read-response.ts'
export { plainCause, redact } from './redact.ts'
export { platformClock, retried, type RetryClock, type RetryOptions } from './retried.ts'
export { retrievedMessages, usageOf } from './retrieval.ts'
export { retryAfterMs } from './retry-after.ts'
export { secretsOf, shownUrl } from './secrets.ts'
export { createSseReader, type ServerSentEvent, type SseReader } from './sse.ts'
export { argumentsObject, argumentsText, isRecord } from './tool-arguments.ts'
export { createTransport } from './transport.ts'
export { createIdMap, fingerprint, idsOf, type IdRule } from './tool-ids.ts'
export { createNameMap, type NameMap, type NameRule } from './tool-names.ts'
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
} from './turns.ts'
export { lawfulUsage, tokens, type UsageCounts } from './usage.ts'
