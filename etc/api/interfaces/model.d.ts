import type { ChatMessage } from './message.ts';
import type { ModelAttempt } from './error.ts';
import type { ConfigEntry } from './llm-config.ts';
import type { ModelAnswer } from './model-answer.ts';
import type { ModelClient } from './model-client.ts';
import type { ModelEvent } from './model-event.ts';
import type { RunOptions } from './run.ts';
import type { UsageMode, UsageSummary } from './usage.ts';
export interface ModelRequest extends Omit<ConfigEntry, 'messages'> {
    messages: readonly ChatMessage[];
    agent?: string | undefined;
    sample?: number | undefined;
}
export interface ModelResponse extends ModelAnswer {
    cost: number;
    configId: number;
    passFilter: boolean;
    cached: boolean;
    attempts?: readonly ModelAttempt[] | undefined;
    messageRetrievalFunction: (answer: ModelAnswer) => string[] | ChatMessage[];
}
export type FilterFunc = (input: {
    context: Record<string, unknown> | null;
    response: ModelResponse;
}) => boolean;
export type ModelClientClass = new (config: ConfigEntry, options?: Record<string, unknown>) => ModelClient;
export interface Model {
    create(request: ModelRequest, options?: RunOptions): Promise<ModelResponse>;
    createSync(request: ModelRequest, options?: Pick<RunOptions, 'run' | 'emit'>): ModelResponse;
    createStream(request: ModelRequest, options?: RunOptions): AsyncGenerator<ModelEvent, ModelResponse>;
    registerModelClient(cls: ModelClientClass, options?: Record<string, unknown>): void;
    readonly actualUsageSummary: UsageSummary | null;
    readonly totalUsageSummary: UsageSummary | null;
    printUsageSummary(mode?: UsageMode | readonly UsageMode[]): void;
    clearUsageSummary(): void;
    restoreUsage?(usage: {
        readonly actual: UsageSummary | null;
        readonly total: UsageSummary | null;
    }): void;
}
