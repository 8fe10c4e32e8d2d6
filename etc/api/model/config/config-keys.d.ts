import type { Budget, ConfigEntry, JsonSchema, Limiter, ToolSchema } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
export declare const TIMEOUT_NAMES: readonly ['connect', 'firstByte', 'silence', 'call'];
export interface Extra extends Pick<ConfigEntry, 'allowFormatStrTemplate' | 'batch' | 'cache' | 'cacheMode' | 'cacheSeed' | 'cacheTimeout' | 'cacheWait' | 'failover' | 'maxRetryAfter' | 'retryTimeouts' | 'price' | 'tags' | 'timeout' | 'timeouts'> {
    readonly filterFunc?: NonNullable<ConfigEntry['filterFunc']> | null | undefined;
    readonly context?: Record<string, unknown> | null | undefined;
    readonly agent?: string | undefined;
    readonly sample?: number | undefined;
    readonly answerSchema?: JsonSchema | undefined;
    readonly moreTools?: readonly ToolSchema[] | undefined;
    readonly budget?: Budget | null | undefined;
    readonly limiter?: Limiter | null | undefined;
}
export declare const CLIENT_KEYS: ReadonlySet<string>;
export declare const EXTRA_KEYS: ReadonlySet<string>;
export declare const ENTRY_KINDS: ReadonlyMap<string, OptionKinds<Record<string, never>>[string]>;
export declare const SHOWN_PARAMS: ReadonlySet<string>;
export declare const WIRE_KEYS: ReadonlySet<string>;
