export interface Usage {
    model: string;
    promptTokens: number;
    completionTokens: number;
    totalTokens: number;
    cachedTokens?: number | undefined;
    reasoningTokens?: number | undefined;
    cost: number;
}
export interface ModelUsage {
    cost: number;
    promptTokens: number;
    completionTokens: number;
    totalTokens: number;
}
export interface UsageSummary {
    totalCost: number;
    models: Record<string, ModelUsage>;
    unpriced?: string[] | undefined;
}
export type UsageMode = 'actual' | 'total' | 'both';
export interface TokenRates {
    readonly input: number;
    readonly output: number;
    readonly cached?: number | undefined;
    readonly cacheWrite?: number | undefined;
    readonly cacheWriteHour?: number | undefined;
    readonly audioInput?: number | undefined;
    readonly cachedAudio?: number | undefined;
    readonly audioOutput?: number | undefined;
    readonly imageInput?: number | undefined;
    readonly imageOutput?: number | undefined;
    readonly searches?: number | undefined;
}
