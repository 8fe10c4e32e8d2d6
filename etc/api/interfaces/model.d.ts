import type { ModelResponse } from './answer.ts';
import type { ConfigEntry } from './config-entry.ts';
import type { EmbedRequest, EmbedResponse } from './embedding.ts';
import type { Io } from './io.ts';
import type { JsonSchema } from './json.ts';
import type { Logger } from './log-record.ts';
import type { ChatMessage } from './message.ts';
import type { ModelEvent } from './model-event.ts';
import type { ModelClient, ModelLimits } from './provider.ts';
import type { RunOptions } from './run.ts';
import type { ToolSchema } from './tool.ts';
import type { UsageMode, UsageSummary } from './usage.ts';
export interface ConfigFilter {
    model?: string | readonly string[] | undefined;
    tags?: string | readonly string[] | undefined;
}
export interface LlmConfig {
    readonly config: Readonly<ConfigEntry> & {
        readonly configList?: readonly ConfigEntry[] | undefined;
    };
    with(changes: ConfigEntry): LlmConfig;
    where(filter: ConfigFilter): LlmConfig;
    createModel(options?: {
        io?: Io | undefined;
        logger?: Logger | undefined;
        replaces?: Model | undefined;
    }): Model;
}
export interface ModelRequest extends Omit<ConfigEntry, 'messages'> {
    messages: readonly ChatMessage[];
    agent?: string | undefined;
    sample?: number | undefined;
    answerSchema?: JsonSchema | undefined;
    moreTools?: readonly ToolSchema[] | undefined;
}
export type ModelClientClass = new (config: ConfigEntry, options?: Record<string, unknown>) => ModelClient;
export interface Model {
    create(request: ModelRequest, options?: RunOptions): Promise<ModelResponse>;
    createSync(request: ModelRequest, options?: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): ModelResponse;
    createStream(request: ModelRequest, options?: RunOptions): AsyncGenerator<ModelEvent, ModelResponse>;
    countTokens?(request: ModelRequest, options?: RunOptions): Promise<TokenCount>;
    countTokensSync?(request: ModelRequest, options?: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): TokenCount;
    countTokensStream?(request: ModelRequest, options?: RunOptions): AsyncGenerator<ModelEvent, TokenCount>;
    embed?(request: EmbedRequest, options?: RunOptions): Promise<EmbedResponse>;
    embedSync?(request: EmbedRequest, options?: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): EmbedResponse;
    embedStream?(request: EmbedRequest, options?: RunOptions): AsyncGenerator<ModelEvent, EmbedResponse>;
    batch?(requests: readonly ModelRequest[], options?: BatchOptions): Promise<BatchResult[]>;
    limitsOf?(request?: {
        readonly model?: string | null | undefined;
    }): ModelLimits;
    settingsOf?(request: ModelRequest): readonly Readonly<Record<string, unknown>>[];
    readonly tellsAttempts?: boolean | undefined;
    readonly modelNames?: readonly string[] | undefined;
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
export interface BatchOptions extends Pick<RunOptions, 'run'> {
    readonly signal?: AbortSignal | undefined;
    readonly sleep?: ((seconds: number) => Promise<void>) | undefined;
}
export type BatchResult = {
    readonly response: ModelResponse;
    readonly error: null;
} | {
    readonly response: null;
    readonly error: Error;
};
export interface TokenCount {
    readonly promptTokens: number;
    readonly model: string;
    readonly configId: number;
}
