import type { UiMessageChunk } from './ui-message-chunk.ts';
import { type UiStreamOptions } from './ui-message-writer.ts';
import { type RunEvents } from './written-run.ts';
export declare function toUiMessageStream(events: RunEvents, options?: UiStreamOptions): AsyncIterableIterator<UiMessageChunk>;
