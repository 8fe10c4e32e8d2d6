import type { ChatMessage, ConfigEntry, ModelAnswer, ModelCallOptions, ModelCapabilities, ModelClient, ModelEvent, ModelParams, Usage } from '@x/interfaces';
import { type PriceTable, type RetryClock } from '@x/provider-kit';
export interface ClientPlatform {
    readonly prices: PriceTable;
    readonly clock: RetryClock;
    readonly now: () => number;
    readonly fetch: typeof globalThis.fetch;
}
export declare class OpenAIClient implements ModelClient {
    #private;
    readonly capabilities: ModelCapabilities;
    constructor(config: ConfigEntry, platform: ClientPlatform);
    create(params: ModelParams, options: ModelCallOptions): Promise<ModelAnswer>;
    stream(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer>;
    messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[];
    getUsage(answer: ModelAnswer): Usage;
    cost({ model, usage }: ModelAnswer): number | null;
}
