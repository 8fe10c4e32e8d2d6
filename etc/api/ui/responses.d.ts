import { type UiStreamOptions } from './to-ui-message-stream.ts';
import type { RunEvents } from './written-run.ts';
export interface SseOptions {
    readonly init?: ResponseInit | undefined;
    readonly heartbeat?: number | undefined;
}
export interface UiResponseOptions extends UiStreamOptions, SseOptions {
}
export declare function toUiMessageResponse(events: RunEvents, options?: UiResponseOptions): Response;
export declare function toSseResponse(events: RunEvents, options?: SseOptions): Response;
