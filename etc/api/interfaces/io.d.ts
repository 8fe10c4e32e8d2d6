import type { MaybePromise } from './maybe-promise.ts';
import type { XEvent } from './event.ts';
import type { Run } from './run.ts';
export interface InputOptions {
    readonly signal?: AbortSignal | undefined;
    readonly agent?: string | undefined;
    readonly blocking?: boolean | undefined;
    readonly run?: Run | undefined;
    readonly password?: boolean | undefined;
}
export interface Io {
    readonly takes?: ReadonlySet<XEvent['type']> | undefined;
    send(event: XEvent): MaybePromise<void>;
    input(prompt: string, options?: InputOptions): MaybePromise<string>;
}
