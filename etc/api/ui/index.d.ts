export { fromUiMessages, hasDecided } from './from-ui-messages.ts';
export type { UiRequest } from './from-ui-messages.ts';
export type { UiDecision, UiRequestOptions } from './page-request.ts';
export { toSseResponse, toUiMessageResponse } from './responses.ts';
export type { UiResponseOptions } from './responses.ts';
export { toUiMessageStream } from './to-ui-message-stream.ts';
export type { UiStreamOptions } from './to-ui-message-stream.ts';
export type { UiAgentMessage, UiMessageChunk, UiMessageMetadata } from './ui-message-chunk.ts';
