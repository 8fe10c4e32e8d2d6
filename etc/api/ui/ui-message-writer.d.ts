import type { MaybePromise, XEvent } from '@x/interfaces';
import type { UiError, UiMessageChunk } from './ui-message-chunk.ts';
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
    readonly onEnd?: (() => MaybePromise<void>) | undefined;
}
export declare class UiMessageWriter {
    #private;
    constructor(options: UiMessageWriting);
    get isWaiting(): boolean;
    get isSound(): boolean;
    add(event: XEvent, cursor: string | null): UiMessageChunk[];
    end(error: UiError | null): UiMessageChunk[];
}
