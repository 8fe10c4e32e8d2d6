import type { ModelAnswer, ModelCallOptions, ModelClient, ModelEvent, ModelParams } from '@x/interfaces';
export interface Collected {
    readonly events: ModelEvent[];
    readonly answer?: ModelAnswer | undefined;
    readonly error?: unknown;
}
export declare function collected(client: ModelClient, params: ModelParams, signal?: AbortSignal, warn?: ModelCallOptions['warn']): Promise<Collected>;
export declare function folded(events: readonly ModelEvent[]): object[];
export declare function said({ choices }: ModelAnswer): object[];
export declare function deepFrozen<T>(value: T): T;
