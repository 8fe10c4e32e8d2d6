export interface Clock {
    now(): number;
    after(ms: number, call: () => void): () => void;
}
export declare const platformClock: () => Clock;
