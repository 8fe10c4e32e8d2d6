export interface RetryClock {
    readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
    readonly random: () => number;
}
export interface RetryOptions {
    readonly maxRetries: number;
    readonly maxRetryAfter: number;
    readonly signal: AbortSignal | undefined;
    readonly clock: RetryClock;
}
export declare function retry<T>(call: () => Promise<T>, options: RetryOptions): Promise<T>;
export declare function platformClock(): RetryClock;
