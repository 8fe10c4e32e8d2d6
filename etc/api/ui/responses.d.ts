import type { AgUiOptions } from './ag-ui-writer.ts';
import type { UiStreamOptions } from './ui-message-writer.ts';
import { type RunEvents } from './written-run.ts';
export interface SseOptions {
    readonly init?: ResponseInit | undefined;
    readonly heartbeat?: number | undefined;
}
export interface UiResponseOptions extends UiStreamOptions, SseOptions {
}
export declare function toUiMessageResponse(events: RunEvents, options?: UiResponseOptions): Response;
export declare function toAgUiResponse(events: RunEvents, options: AgUiOptions & SseOptions): Response;
export declare function toSseResponse(events: RunEvents, options?: SseOptions): Response;
