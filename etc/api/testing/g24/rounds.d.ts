import type { ChatMessage, MaybePromise, ModelAnswer, ModelCallOptions, ModelClient, ModelParams, Usage } from '@x/interfaces';
export declare class RoundCounter implements ModelClient {
    #private;
    rounds: number;
    calls: number;
    constructor(client: ModelClient);
    create(params: ModelParams, options: ModelCallOptions): Promise<ModelAnswer>;
    messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[];
    getUsage(answer: ModelAnswer): Usage;
    cost(answer: ModelAnswer): number | null;
    later<T>(value: MaybePromise<T>): Promise<T>;
}
