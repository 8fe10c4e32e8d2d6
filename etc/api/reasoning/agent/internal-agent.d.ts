import type { Agent, Model, ModelResponse, UsageSummary } from '@x/interfaces';
import type { ModelCaller } from '../ask/ask-model.ts';
export interface InternalAgentOptions {
    name: string;
    description: string;
    systemMessage: string;
    model: () => Model;
}
export declare class InternalAgent implements Agent, ModelCaller {
    #private;
    readonly name: string;
    readonly description: string;
    readonly systemMessage: string;
    constructor({ name, description, systemMessage, model }: InternalAgentOptions);
    get model(): Model;
    get actualUsage(): UsageSummary | null;
    get totalUsage(): UsageSummary | null;
    note(response: ModelResponse): void;
}
