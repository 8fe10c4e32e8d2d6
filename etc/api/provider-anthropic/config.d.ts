import type { ConfigEntry, RequestParams } from '@x/interfaces';
import type { CacheLife } from './cache-points.ts';
import type { AnthropicModelFamily } from './family.ts';
export interface AnthropicKeys {
    betas?: string | readonly string[] | undefined;
    modelFamily?: Partial<AnthropicModelFamily> | undefined;
    promptCache?: CacheLife | undefined;
}
export interface AnthropicConfig extends AnthropicEntry {
    apiType?: 'anthropic' | undefined;
}
export interface AnthropicEntry extends ConfigEntry, AnthropicKeys {
    providerOptions?: {
        readonly anthropic?: AnthropicOptionsOfRequest | undefined;
        readonly [provider: string]: Readonly<Record<string, unknown>> | undefined;
    } | undefined;
}
interface AnthropicOptionsOfRequest extends Omit<RequestParams, 'messages'>, AnthropicParams {
    readonly [parameter: string]: unknown;
}
export declare const CONFIG_KEYS: readonly string[];
export declare function readConfig(config: ConfigEntry): AnthropicKeys;
export interface AnthropicParams {
    readonly thinking?: Record<string, unknown> | undefined;
    readonly output_config?: Record<string, unknown> | undefined;
    readonly betas?: string | readonly string[] | undefined;
}
export declare function readOwnParams(params: Readonly<Record<string, unknown>>): AnthropicParams;
export declare function keyVariablesOf({ apiKey, baseUrl }: ConfigEntry): readonly string[];
export {};
