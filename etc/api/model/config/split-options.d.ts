import type { Budget, ConfigEntry, FilterFunc, JsonSchema, Limiter, ToolSchema } from '@x/interfaces';
export interface Extra extends Pick<ConfigEntry, 'allowFormatStrTemplate' | 'cache' | 'cacheMode' | 'cacheSeed' | 'cacheTimeout' | 'cacheWait' | 'failover' | 'maxRetryAfter' | 'price' | 'tags' | 'timeout'> {
    readonly filterFunc?: FilterFunc | null | undefined;
    readonly context?: Record<string, unknown> | null | undefined;
    readonly agent?: string | undefined;
    readonly sample?: number | undefined;
    readonly answerSchema?: JsonSchema | undefined;
    readonly moreTools?: readonly ToolSchema[] | undefined;
    readonly budget?: Budget | null | undefined;
    readonly limiter?: Limiter | null | undefined;
}
export interface SplitOptions {
    readonly params: Readonly<Record<string, unknown>>;
    readonly extra: Extra;
}
export declare function splitOptions(options: Readonly<ConfigEntry>): SplitOptions;
export declare function addOption({ params, extra }: SplitOptions, key: string, value: unknown): void;
