export declare const monotonicNow: () => number;
export declare class Clock {
    steps: number;
    since: number;
    turn: Promise<void> | undefined;
    pause(): Promise<void> | undefined;
}
