import type { XEvent } from './event.ts';
import type { MaybePromise } from './maybe-promise.ts';
export type Face = 'sync' | 'async' | 'stream';
export type Listener<E extends {
    readonly type: string;
} = XEvent> = (event: E) => MaybePromise<void>;
export interface Run {
    readonly face: Face;
    readonly signal: AbortSignal | undefined;
    readonly emit: Listener;
}
export interface RunOptions {
    readonly signal?: AbortSignal | undefined;
    readonly emit?: Listener | undefined;
}
