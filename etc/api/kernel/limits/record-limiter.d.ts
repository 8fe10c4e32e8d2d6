import type { Limiter, MaybePromise, Permit, RateLimits } from '@x/interfaces';
import { type RecordPlace } from './record-updater.ts';
export type LimitsByModel = Readonly<Record<string, RateLimits>>;
export interface RecordLimiterOptions extends RecordPlace {
    readonly limits: LimitsByModel;
    readonly prefix: string;
    readonly whenDown: 'alone' | 'refuse';
}
export declare class RecordLimiter implements Limiter {
    #private;
    constructor(options: RecordLimiterOptions);
    acquire({ model, account, tokens }: Parameters<Limiter['acquire']>[0], { signal }?: {
        readonly signal?: AbortSignal | undefined;
    }): MaybePromise<Permit>;
    state(): ReturnType<NonNullable<Limiter['state']>>;
    flush(): Promise<void>;
    close(): void;
}
export interface QueueLimit {
    readonly key: string;
    readonly limits: RateLimits;
    readonly instead: LimitQueue | undefined;
}
export declare class LimitQueue {
    #private;
    constructor(place: RecordPlace, limit: QueueLimit);
    acquire(tokens: number, signal: AbortSignal | undefined): MaybePromise<Permit>;
    end(slot: number, estimate: number, { tokens, requests, retryAfterMs }?: Parameters<Permit['end']>[0]): void;
    flush(): Promise<void>;
    close(): void;
}
export declare function checkLimits(limits: unknown, attempt: string): void;
