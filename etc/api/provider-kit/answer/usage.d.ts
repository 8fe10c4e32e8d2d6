import type { AnswerUsage } from '@x/interfaces';
export interface UsageCounts {
    readonly prompt: unknown;
    readonly completion: unknown;
    readonly total?: unknown;
    readonly cached?: unknown;
    readonly cacheWrite?: unknown;
    readonly reasoning?: unknown;
    readonly raw?: unknown;
}
export declare function normalizeUsage(counts: UsageCounts): AnswerUsage | undefined;
