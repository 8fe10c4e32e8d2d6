import type { ConfigEntry, ModelAnswer, ModelEvent, ModelParams, Provider } from '@x/interfaces';
export interface Exchange {
    readonly body: Record<string, unknown>;
    readonly answer: ModelAnswer | undefined;
    readonly events: readonly ModelEvent[];
    readonly error: unknown;
    readonly warnings: readonly (readonly [topic: string, text: string])[];
}
export type RecordedAnswer = {
    readonly whole: unknown;
} | {
    readonly frames: readonly unknown[];
} | {
    readonly lines: readonly unknown[];
};
export declare function exchange(provider: Provider, config: ConfigEntry, params: ModelParams, recorded: RecordedAnswer): Promise<Exchange>;
