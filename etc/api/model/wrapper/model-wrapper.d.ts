import type { BatchOptions, BatchResult, CacheStore, ChatMessage, ConfigEntry, EmbedRequest, EmbedResponse, EventEnvelope, EventStream, Io, Logger, Model, ModelAnswer, ModelClientClass, ModelEvent, ModelLimits, ModelRef, ModelResponse, Provider, RunOptions, TokenCount, UsageMode, UsageSummary } from '@x/interfaces';
import { type ModelRuntime, type WrapperPlan } from '../call/wrapper-parts.ts';
import { type WrapperRequest } from '../request/check-request.ts';
import { instantiate } from '../request/instantiate.ts';
import { type RequestSettings } from '../request/settings.ts';
import type { LedgerRow } from '../usage/ledger-rows.ts';
export interface ModelWrapperOptions extends ConfigEntry {
    configList?: readonly (ConfigEntry | ModelRef)[] | null | undefined;
    providers?: readonly Provider[] | undefined;
    io?: Io | undefined;
    logger?: Logger | null | undefined;
    defaultCache?: ((seed: number) => CacheStore) | undefined;
    runtime?: Partial<ModelRuntime> | undefined;
}
export interface WrapperOrigin {
    readonly plan: WrapperPlan;
    readonly config: Readonly<ConfigEntry>;
    readonly replaces?: Model | undefined;
}
type BlockingOptions = Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>;
export declare class ModelWrapper implements Model {
    #private;
    static readonly extraKwargs: ReadonlySet<string>;
    constructor(options?: ModelWrapperOptions, origin?: WrapperOrigin);
    static readonly instantiate: typeof instantiate;
    static readonly extractTextOrCompletionObject: typeof extractTextOrCompletionObject;
    get wrapperId(): number;
    get tellsAttempts(): true;
    get modelNames(): readonly string[];
    get clientKwargs(): ReadonlySet<string>;
    get actualUsageSummary(): UsageSummary | null;
    get totalUsageSummary(): UsageSummary | null;
    get ledger(): readonly LedgerRow[];
    create(request: WrapperRequest, options?: RunOptions): Promise<ModelResponse>;
    createSync(request: WrapperRequest, options?: BlockingOptions): ModelResponse;
    createStream(request: WrapperRequest, options?: RunOptions): EventStream<ModelResponse, PlacedModelEvent>;
    countTokens(request: WrapperRequest, options?: RunOptions): Promise<TokenCount>;
    countTokensSync(request: WrapperRequest, options?: BlockingOptions): TokenCount;
    countTokensStream(request: WrapperRequest, options?: RunOptions): EventStream<TokenCount, PlacedModelEvent>;
    embed(request: EmbedRequest, options?: RunOptions): Promise<EmbedResponse>;
    embedSync(request: EmbedRequest, options?: BlockingOptions): EmbedResponse;
    embedStream(request: EmbedRequest, options?: RunOptions): EventStream<EmbedResponse, PlacedModelEvent>;
    batch(requests: readonly WrapperRequest[], options?: BatchOptions): Promise<BatchResult[]>;
    limitsOf({ model }?: {
        readonly model?: string | null | undefined;
    }): ModelLimits;
    settingsOf(request: WrapperRequest): RequestSettings;
    registerModelClient(cls: ModelClientClass, options?: Record<string, unknown>): void;
    printUsageSummary(mode?: UsageMode | readonly UsageMode[]): void;
    clearUsageSummary(): void;
    restoreUsage({ actual, total }: {
        readonly actual: UsageSummary | null;
        readonly total: UsageSummary | null;
    }): void;
}
export declare function runtimeOf(given: Partial<ModelRuntime> | undefined): ModelRuntime;
declare function extractTextOrCompletionObject(answer: ModelAnswer): string[] | ChatMessage[];
export type PlacedModelEvent = ModelEvent & Pick<EventEnvelope, 'chatId' | 'agentPath'> & {
    agent: string | null;
};
export {};
