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
