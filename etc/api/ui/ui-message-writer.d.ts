import type { XEvent } from '@x/interfaces';
import { RunPlaces } from './run-places.ts';
import type { UiError, UiMessageChunk } from './ui-message-chunk.ts';
import { type RunWriter, type RunWriting } from './written-run.ts';
export interface UiContinuation {
    readonly messageId: string;
    readonly calls: ReadonlyMap<string, string>;
    readonly cursor: string | undefined;
}
export interface UiStreamOptions extends RunWriting {
    readonly messageId?: string | undefined;
    readonly continues?: UiContinuation | undefined;
}
export declare class UiMessageWriter implements RunWriter<UiMessageChunk> {
    #private;
    readonly run: RunPlaces;
    constructor(options: UiStreamOptions);
    add(event: XEvent, cursor: string | null, signature: string | null): UiMessageChunk[];
    end(error: UiError | null): UiMessageChunk[];
}
