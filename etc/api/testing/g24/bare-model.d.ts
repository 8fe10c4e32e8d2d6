import type { Model, ModelClient, ModelEvent, ModelRequest, ModelResponse, UsageSummary } from '@x/interfaces';
export declare class BareModel implements Model {
    #private;
    constructor(client: ModelClient);
    create(request: ModelRequest, { signal }?: {
        signal?: AbortSignal | undefined;
    }): Promise<ModelResponse>;
    createSync({ sample, messages }: ModelRequest): ModelResponse;
    createStream(request: ModelRequest): AsyncGenerator<ModelEvent, ModelResponse>;
    registerModelClient(): void;
    get actualUsageSummary(): UsageSummary | null;
    get totalUsageSummary(): UsageSummary | null;
    printUsageSummary(): void;
    clearUsageSummary(): void;
}
