import type { EventBody, MaybePromise, Run, RunScope } from '@x/interfaces';
export declare const WAIT_REQUEST = 0;
export declare const POOL_REQUEST = 1;
export declare const RUN_REQUEST = 2;
export declare const SCOPE_REQUEST = 3;
export type Request = {
    readonly type: typeof WAIT_REQUEST;
    readonly value: unknown;
    readonly what: string;
} | PoolRequest | {
    readonly type: typeof RUN_REQUEST;
} | {
    readonly type: typeof SCOPE_REQUEST;
    readonly scope: RunScope;
};
export interface PoolRequest {
    readonly type: typeof POOL_REQUEST;
    readonly next: () => AnySteps | undefined;
    readonly limit: number;
}
export type Steps<T, E extends {
    readonly type: string;
} = EventBody> = Generator<Request | E, T, unknown>;
export type AnySteps = Generator<Request | {
    readonly type: string;
}, unknown, unknown>;
export declare const isThenable: (value: unknown) => value is PromiseLike<unknown>;
export declare function wait<T>(value: MaybePromise<T>, what: string): Steps<T, never>;
export declare function currentRun(): Steps<Run, never>;
export declare function pool<E extends {
    readonly type: string;
} = EventBody>(next: () => Steps<unknown, E> | undefined, limit?: number): Steps<void, E>;
export declare function all<T, E extends {
    readonly type: string;
} = EventBody>(children: readonly Steps<T, E>[], limit?: number): Steps<T[], E>;
export declare function each<I, R, E extends {
    readonly type: string;
} = EventBody>(source: AsyncIterable<I, R> | Iterable<I, R>, handle: (item: I) => E | undefined, what?: string): Steps<R, E>;
export declare function within<T, E extends {
    readonly type: string;
} = EventBody>(scope: RunScope, steps: Steps<T, E>): Steps<T, E>;
export declare const ignore: () => void;
