export type Delay = number | PromiseLike<unknown>;
export interface Pause {
    readonly pause: Delay;
}
export type Ending = 'close' | 'reset' | 'hang';
export interface Delivery {
    readonly before?: Delay | undefined;
    readonly head?: {
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
    } | undefined;
    readonly body?: readonly (string | Uint8Array | Pause)[] | undefined;
    readonly ending?: Ending | undefined;
}
export declare function jsonDelivery(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Delivery;
