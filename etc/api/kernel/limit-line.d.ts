import type { MaybePromise, Permit, RateLimits, RecordStore, UsedPermit } from '@x/interfaces';
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
    end(slot: number, estimate: number, { tokens, requests, retryAfterMs }?: UsedPermit): void;
    flush(): Promise<void>;
    close(): void;
}
