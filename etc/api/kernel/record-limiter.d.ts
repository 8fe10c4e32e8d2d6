import type { Limiter, MaybePromise, Permit, RateLimits, RecordChange, RecordStore } from '@x/interfaces';
export type LimitsByModel = Readonly<Record<string, RateLimits>>;
export interface RecordLimiterOptions extends LimitPlace {
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
export interface LimitPlace {
    readonly records: RecordStore;
    readonly worker: string;
    readonly lease: number;
    readonly storeTimeout: number;
    readonly onError: (error: unknown) => void;
}
export interface LimitOfLine {
    readonly key: string;
    readonly limits: RateLimits;
    readonly instead: LimitLine | undefined;
}
export declare class LimitLine {
    #private;
    constructor(place: LimitPlace, limit: LimitOfLine);
    acquire(tokens: number, signal: AbortSignal | undefined): MaybePromise<Permit>;
    end(slot: number, estimate: number, { tokens, requests, retryAfterMs }?: Parameters<Permit['end']>[0]): void;
    flush(): Promise<void>;
    close(): void;
}
export declare class MemoryRecords implements RecordStore {
    #private;
    constructor(now: () => number);
    change<T>(key: string, change: RecordChange<T>): T;
}
export declare const monotonicNow: () => number;
export declare function checkLimits(limits: unknown, attempt: string): void;
