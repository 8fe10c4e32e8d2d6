export interface CallClock {
    readonly signal: AbortSignal;
    readonly timedOut: boolean;
    restart(): void;
    stop(): void;
    cancel(): void;
}
export declare function startCallClock(signal: AbortSignal | undefined, seconds: number): CallClock;
