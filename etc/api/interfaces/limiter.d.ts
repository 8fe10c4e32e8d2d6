import type { MaybePromise } from './maybe-promise.ts';
export interface RateLimits {
    readonly requests?: number | undefined;
    readonly tokens?: number | undefined;
    readonly inFlight?: number | undefined;
    readonly per?: number | undefined;
}
export interface LimitedCall {
    readonly model: string;
    readonly account: string;
    readonly tokens: number;
}
export interface UsedPermit {
    readonly tokens?: number | undefined;
    readonly requests?: number | undefined;
    readonly retryAfterMs?: number | undefined;
}
export interface Permit {
    end(used?: UsedPermit): void;
}
export interface LimiterState {
    readonly model: string;
    readonly account: string;
    readonly limits: RateLimits;
    readonly requests: number;
    readonly tokens: number;
    readonly inFlight: number;
    readonly waiting: number;
}
export interface Limiter {
    acquire(call: LimitedCall, options?: {
        readonly signal?: AbortSignal | undefined;
    }): MaybePromise<Permit>;
    state?(): Promise<readonly LimiterState[]>;
}
