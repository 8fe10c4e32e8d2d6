import type { MaybePromise, Run, XEvent } from '@x/interfaces';
export declare const WAIT = 0;
export declare const POOL = 1;
export declare const FACE = 2;
export type Request = {
    readonly type: typeof WAIT;
    readonly value: unknown;
    readonly what: string;
} | PoolRequest | {
    readonly type: typeof FACE;
};
export interface PoolRequest {
    readonly type: typeof POOL;
    readonly next: () => AnySteps | undefined;
    readonly limit: number;
    readonly emit: Emitter | undefined;
}
type Emitter = (run: Run) => Run['emit'];
export type Steps<T, E extends {
    readonly type: string;
} = XEvent> = Generator<Request | E, T, unknown>;
export type AnySteps = Generator<Request | {
    readonly type: string;
}, unknown, unknown>;
export declare const isThenable: (value: unknown) => value is PromiseLike<unknown>;
export declare function wait<T>(value: MaybePromise<T>, what: string): Steps<T, never>;
export declare function face(): Steps<Run, never>;
export declare function pool<E extends {
    readonly type: string;
} = XEvent>(next: () => Steps<unknown, E> | undefined, limit?: number, emit?: Emitter): Steps<void, E>;
export declare function all<T, E extends {
    readonly type: string;
} = XEvent>(children: readonly Steps<T, E>[], limit?: number, emit?: Emitter): Steps<T[], E>;
export declare function within<T, E extends {
    readonly type: string;
} = XEvent>(emit: Emitter, steps: Steps<T, E>): Steps<T, E>;
export declare function each<I, R, E extends {
    readonly type: string;
} = XEvent>(source: AsyncIterable<I, R> | Iterable<I, R>, handle: (item: I) => E | undefined, what?: string): Steps<R, E>;
export {};
