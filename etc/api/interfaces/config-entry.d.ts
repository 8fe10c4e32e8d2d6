import type { FilterFunc } from './answer.ts';
import type { Budget } from './budget.ts';
import type { CacheStore } from './cache.ts';
import type { ModelErrorKind } from './error.ts';
import type { Limiter } from './limiter.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { RequestExtras, RequestParams } from './request-params.ts';
import type { TokenRates } from './usage.ts';
export type Price = number | readonly [prompt: number, completion: number] | TokenRates;
export type ApiKey = string | (() => MaybePromise<string>);
export interface CallTimeouts {
    readonly connect?: number | undefined;
    readonly firstByte?: number | undefined;
    readonly silence?: number | undefined;
    readonly call?: number | undefined;
}
export interface ClientOptions {
    apiKey?: ApiKey | undefined;
    apiType?: string | undefined;
    baseUrl?: string | undefined;
    apiVersion?: string | undefined;
    timeout?: number | undefined;
    maxRetries?: number | undefined;
    defaultHeaders?: Record<string, string> | undefined;
    fetch?: typeof globalThis.fetch | undefined;
    maxErrorBytes?: number | undefined;
    maxEventBytes?: number | undefined;
    maxBodyBytes?: number | undefined;
    organization?: string | undefined;
    modelClientCls?: string | undefined;
}
export interface ExtraOptions {
    cache?: CacheStore | null | undefined;
    cacheSeed?: number | null | undefined;
    cacheTimeout?: number | undefined;
    cacheWait?: number | undefined;
    filterFunc?: FilterFunc | null | undefined;
    allowFormatStrTemplate?: boolean | null | undefined;
    context?: Record<string, unknown> | null | undefined;
    tags?: readonly string[] | undefined;
    price?: Price | null | undefined;
    cacheMode?: 'use' | 'bypass' | 'refresh' | undefined;
    failover?: Partial<Record<ModelErrorKind, 'next' | 'stop'>> | undefined;
    maxRetryAfter?: number | undefined;
    retryTimeouts?: boolean | undefined;
    batch?: boolean | undefined;
    timeouts?: CallTimeouts | undefined;
    budget?: Budget | null | undefined;
    limiter?: Limiter | null | undefined;
}
export interface ConfigEntry extends ClientOptions, ExtraOptions, RequestParams, RequestExtras {
    [parameter: string]: unknown;
}
