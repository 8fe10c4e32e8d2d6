import type { UiMessageChunk } from './ui-message-chunk.ts';
import { type UiMessageWriting } from './ui-message-writer.ts';
import { type RunEvents, type RunWriting } from './written-run.ts';
export interface UiStreamOptions extends UiMessageWriting, RunWriting {
}
export declare function toUiMessageStream(events: RunEvents, options?: UiStreamOptions): AsyncIterableIterator<UiMessageChunk>;
