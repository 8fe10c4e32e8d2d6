import type { AnswerUsage, ModelAnswer } from './answer.ts';
import type { CallTimeouts, ConfigEntry } from './config-entry.ts';
import type { EmbedAnswer, EmbedParams } from './embedding.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ChatMessage } from './message.ts';
import type { ModelEvent } from './model-event.ts';
import type { RequestExtras, RequestParams } from './request-params.ts';
import type { TraceContext } from './run.ts';
import type { Usage } from './usage.ts';
export interface ProviderModule {
    readonly specifier: string;
    readonly export: string;
    readonly url?: string | undefined;
}
export interface Provider {
    readonly name?: string | undefined;
    readonly apiTypes: readonly string[];
    readonly module?: ProviderModule | undefined;
    readonly specVersion: 1;
    readonly clientKeys?: readonly string[] | undefined;
    createClient(config: ConfigEntry): ModelClient;
}
export interface ModelParams extends Omit<RequestParams, 'messages'>, RequestExtras {
    messages: ChatMessage[];
    [parameter: string]: unknown;
}
export interface ModelCallOptions {
    readonly signal?: AbortSignal | undefined;
    onStop?(listener: (reason: unknown) => void): () => void;
    readonly sample?: number | undefined;
    readonly timeout?: number | undefined;
    readonly timeouts?: CallTimeouts | undefined;
    readonly onSend?: ((hasLeft?: boolean) => boolean) | undefined;
    readonly onUsage?: ((usage: AnswerUsage) => void) | undefined;
    readonly trace?: TraceContext | undefined;
    readonly warn?: ((topic: string, text: string) => void) | undefined;
    readonly background?: KeptBackground | undefined;
}
interface KeptBackground {
    readonly known: string | undefined;
    keep(id: string): MaybePromise<void>;
    readonly leave?: ((seconds: number) => Promise<never> | undefined) | undefined;
}
export interface RetryClock {
    readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
    readonly random: () => number;
}
export interface ModelCapabilities extends ModelLimits {
    readonly tools?: boolean | undefined;
    readonly images?: boolean | undefined;
    readonly structuredOutput?: 'none' | 'json' | 'schema' | undefined;
    readonly structuredOutputWithTools?: boolean | undefined;
    readonly streaming?: boolean | undefined;
}
export interface ModelClient {
    create(params: ModelParams, options: ModelCallOptions): MaybePromise<ModelAnswer>;
    stream?(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer> & {
        readonly takeReady?: (() => readonly ModelEvent[]) | undefined;
    };
    readonly countTokens?: ((params: ModelParams, options: ModelCallOptions) => MaybePromise<number>) | undefined;
    readonly embed?: ((params: EmbedParams, options: ModelCallOptions) => MaybePromise<EmbedAnswer>) | undefined;
    readonly embedLimits?: {
        readonly texts?: number | undefined;
        readonly tokens?: number | undefined;
    } | undefined;
    readonly batches?: ClientBatches | undefined;
    messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[];
    getUsage(answer: ModelAnswer): Usage;
    cost(answer: ModelAnswer): number | null;
    readonly endpoint?: string | undefined;
    readonly capabilities?: ModelCapabilities | undefined;
    limitsOf?(model: string): ModelLimits;
    readonly clock?: RetryClock | undefined;
}
export interface ClientBatches {
    readonly maxRequests: number;
    readonly priceFactor: number;
    submit(requests: readonly ModelParams[], key: string, options: ModelCallOptions): Promise<string>;
    find(key: string, options: ModelCallOptions): Promise<string | null | undefined>;
    hasEnded(id: string, options: ModelCallOptions): Promise<boolean>;
    results(batch: {
        readonly id: string;
        readonly key: string;
        readonly requests: readonly ModelParams[];
    }, options: ModelCallOptions): Promise<readonly (ModelAnswer | Error)[]>;
    cancel(id: string, options: ModelCallOptions): Promise<void>;
}
export interface ModelLimits {
    readonly contextWindow?: number | undefined;
    readonly maxOutput?: number | undefined;
}
export {};
