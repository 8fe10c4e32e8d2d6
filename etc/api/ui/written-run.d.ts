import type { MaybePromise, XEvent } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { RunPlaces } from './run-places.ts';
import { type UiSigning } from './signature.ts';
import type { UiError } from './ui-message-chunk.ts';
export type RunEvents = AsyncIterable<XEvent | Logged>;
export declare function readerOf<T>(events: AsyncIterable<T>): AsyncIterator<T>;
export interface Logged {
    readonly cursor: string;
    readonly event: XEvent;
}
export interface RunWriter<T> {
    readonly run: RunPlaces;
    add(event: XEvent, cursor: string | null, signature: string | null): T[];
    end(error: UiError | null): T[];
}
export interface RunWriting extends UiSigning {
    readonly reasoning?: boolean | undefined;
    readonly agents?: boolean | undefined;
    readonly errorText?: ((error: UiError) => string) | undefined;
    readonly onEnd?: (() => MaybePromise<void>) | undefined;
}
export declare const writingKinds: OptionKinds<RunWriting>;
export declare const CODE_TOOL = "run_code";
export declare function errorTextOf({ errorText }: RunWriting, error: UiError): string;
export declare const approvalIdOf: ({ runId, id }: {
    readonly runId: string | null;
    readonly id: string;
}) => string;
export declare class WrittenRun<T> implements AsyncIterableIterator<T> {
    #private;
    constructor(events: RunEvents, writer: RunWriter<T>, options: RunWriting);
    next(): Promise<IteratorResult<T>>;
    return(): Promise<IteratorResult<T>>;
    [Symbol.asyncIterator](): this;
}
