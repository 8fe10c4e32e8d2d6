import type { MaybePromise, XEvent } from '@x/interfaces';
interface RunBufferOptions {
    readonly maxLength?: number | undefined;
    readonly retention?: number | undefined;
}
interface KeepOptions {
    readonly onEnd?: (() => MaybePromise<void>) | undefined;
}
export declare class RunBuffer {
    #private;
    constructor(options?: RunBufferOptions);
    keep(key: string, run: AsyncIterable<XEvent>, options?: KeepOptions): AsyncIterableIterator<XEvent>;
    events(key: string, after?: string | null): AsyncIterableIterator<XEvent> | null;
    stop(key: string): boolean;
}
export {};
