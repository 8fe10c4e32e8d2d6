import type { Budget } from './budget.ts';
import type { CacheStore } from './cache.ts';
import type { ChatMessage } from './message.ts';
import type { ModelErrorKind } from './error.ts';
import type { Io } from './io.ts';
import type { Logger } from './log-record.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { FunctionSchema, ToolSchema } from './tool.ts';
import type { FilterFunc, Model } from './model.ts';
export type Price = number | readonly [prompt: number, completion: number];
export type ApiKey = string | (() => MaybePromise<string>);
export interface ClientOptions {
    apiKey?: ApiKey | undefined;
    apiType?: string | undefined;
    baseUrl?: string | undefined;
    apiVersion?: string | undefined;
    timeout?: number | undefined;
    maxRetries?: number | undefined;
    defaultHeaders?: Record<string, string> | undefined;
    fetch?: typeof globalThis.fetch | undefined;
    organization?: string | undefined;
    modelClientCls?: string | undefined;
}
export interface ExtraOptions {
    cache?: CacheStore | null | undefined;
    cacheSeed?: number | null | undefined;
    filterFunc?: FilterFunc | null | undefined;
    allowFormatStrTemplate?: boolean | null | undefined;
    context?: Record<string, unknown> | null | undefined;
    tags?: readonly string[] | undefined;
    price?: Price | null | undefined;
    cacheMode?: 'use' | 'bypass' | 'refresh' | undefined;
    failover?: Partial<Record<ModelErrorKind, 'next' | 'stop'>> | undefined;
    maxRetryAfter?: number | undefined;
    budget?: Budget | null | undefined;
}
export interface RequestParams {
    model?: string | undefined;
    messages?: readonly ChatMessage[] | undefined;
    temperature?: number | null | undefined;
    top_p?: number | null | undefined;
    top_k?: number | null | undefined;
    max_tokens?: number | null | undefined;
    max_completion_tokens?: number | null | undefined;
    stop?: string | readonly string[] | null | undefined;
    seed?: number | null | undefined;
    n?: number | null | undefined;
    presence_penalty?: number | null | undefined;
    frequency_penalty?: number | null | undefined;
    logit_bias?: Readonly<Record<string, number>> | null | undefined;
    logprobs?: boolean | number | null | undefined;
    top_logprobs?: number | null | undefined;
    tools?: readonly ToolSchema[] | undefined;
    tool_choice?: 'auto' | 'none' | 'required' | {
        readonly type: 'function';
        readonly function: {
            readonly name: string;
        };
    } | (string & {}) | {
        readonly [key: string]: unknown;
    } | null | undefined;
    parallel_tool_calls?: boolean | null | undefined;
    functions?: readonly FunctionSchema[] | null | undefined;
    function_call?: 'auto' | 'none' | (string & {}) | {
        readonly name: string;
    } | null | undefined;
    response_format?: object | null | undefined;
    reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | (string & {}) | null | undefined;
    verbosity?: 'low' | 'medium' | 'high' | (string & {}) | null | undefined;
    service_tier?: string | null | undefined;
    user?: string | null | undefined;
    metadata?: Readonly<Record<string, unknown>> | null | undefined;
}
export interface ConfigEntry extends ClientOptions, ExtraOptions, RequestParams {
    [parameter: string]: unknown;
}
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
