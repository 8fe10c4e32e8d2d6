import type { AnswerUsage } from '@x/interfaces';
export interface UsageCounts extends PricedCounts {
    readonly prompt: unknown;
    readonly completion: unknown;
    readonly total?: unknown;
    readonly cached?: unknown;
    readonly cacheWrite?: unknown;
    readonly reasoning?: unknown;
    readonly raw?: unknown;
}
export interface PricedCounts {
    readonly cacheWriteHour?: unknown;
    readonly audioPrompt?: unknown;
    readonly audioCompletion?: unknown;
    readonly imagePrompt?: unknown;
    readonly imageCompletion?: unknown;
    readonly cachedAudio?: unknown;
    readonly searches?: unknown;
    readonly tier?: unknown;
    readonly cost?: unknown;
}
export declare function normalizeUsage(counts: UsageCounts): AnswerUsage | undefined;
