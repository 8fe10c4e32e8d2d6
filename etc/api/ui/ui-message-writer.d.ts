import type { XEvent } from '@x/interfaces';
import { RunPlaces } from './run-places.ts';
import type { UiError, UiMessageChunk } from './ui-message-chunk.ts';
import { type RunWriter } from './written-run.ts';
export interface UiContinuation {
    readonly messageId: string;
    readonly calls: ReadonlyMap<string, string>;
    readonly cursor: string | undefined;
}
export interface UiMessageWriting {
    readonly messageId?: string | undefined;
    readonly continues?: UiContinuation | undefined;
    readonly reasoning?: boolean | undefined;
    readonly agents?: boolean | undefined;
    readonly errorText?: ((error: UiError) => string) | undefined;
}
export declare class UiMessageWriter implements RunWriter<UiMessageChunk> {
    #private;
    readonly run: RunPlaces;
    constructor(options: UiMessageWriting);
    add(event: XEvent, cursor: string | null, signature: string | null): UiMessageChunk[];
    end(error: UiError | null): UiMessageChunk[];
}
