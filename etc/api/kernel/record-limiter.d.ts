import type { LimitedCall, Limiter, LimiterState, MaybePromise, Permit, RateLimits } from '@x/interfaces';
import { type LimitPlace } from './limit-line.ts';
export type LimitsByModel = Readonly<Record<string, RateLimits>>;
export interface RecordLimiterOptions extends LimitPlace {
    readonly limits: LimitsByModel;
    readonly prefix: string;
    readonly whenDown: 'alone' | 'refuse';
}
export declare class RecordLimiter implements Limiter {
    #private;
    constructor(options: RecordLimiterOptions);
    acquire({ model, account, tokens }: LimitedCall, { signal }?: {
        readonly signal?: AbortSignal | undefined;
    }): MaybePromise<Permit>;
    state(): Promise<readonly LimiterState[]>;
    flush(): Promise<void>;
    close(): void;
}
