import type { XEvent } from '@x/interfaces';
import { type UiSigning } from './signature.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';
import { type UiMessageWriting } from './ui-message-writer.ts';
export interface UiStreamOptions extends UiMessageWriting, UiSigning {
}
export type RunEvents = AsyncIterable<XEvent | Logged>;
export interface Logged {
    readonly cursor: string;
    readonly event: XEvent;
}
export declare function toUiMessageStream(events: RunEvents, options?: UiStreamOptions): AsyncIterableIterator<UiMessageChunk>;
