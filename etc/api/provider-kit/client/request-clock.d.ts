import type { ModelCallOptions, ModelClient } from '@x/interfaces';
import { type RequestWatcher } from '../http/request-watch.ts';
type CallTimeouts = NonNullable<ModelCallOptions['timeouts']>;
export type ClockName = keyof CallTimeouts;
export declare class RequestClock implements RequestWatcher {
    #private;
    static readonly kept: RequestClock;
    hasCallerLeft: boolean;
    expired: ClockName | undefined;
    isWatched: boolean;
    hasResponse: boolean;
    hasLeft: boolean;
    constructor(caller: Pick<ModelCallOptions, 'signal' | 'onStop'>, limits: CallTimeouts, report?: ModelCallOptions['onSend']);
    get signal(): AbortSignal;
    get isAborted(): boolean;
    stops(request: {
        stop(): void;
    }): void;
    begin(): void;
    onSend(): void;
    onUnsent(): void;
    onBytes(): void;
    until<T, R>(promise: PromiseLike<T>, use: (value: T) => R): Promise<R>;
    race<T>(promise: PromiseLike<T>): Promise<T>;
    hold(): void;
    stop(): void;
    cancel(): void;
}
export declare function limitsOf({ timeouts, timeout }: Pick<ModelCallOptions, 'timeout' | 'timeouts'>, streamed: boolean): CallTimeouts;
export declare function platformClock(): NonNullable<ModelClient['clock']>;
export {};
