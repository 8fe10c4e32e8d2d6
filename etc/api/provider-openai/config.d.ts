import type { ConfigEntry, RequestParams } from '@x/interfaces';
import { type EndpointName, type EndpointOverrides } from './endpoint-profiles.ts';
export type OpenAISdk = 'fetch' | 'openai';
export interface OpenAIKeys {
    api?: 'auto' | 'chat' | 'responses' | undefined;
    endpointProfile?: EndpointName | EndpointOverrides | undefined;
    reasoningModel?: boolean | undefined;
    sdk?: OpenAISdk | undefined;
    toolImages?: boolean | undefined;
    streamUsage?: boolean | undefined;
}
export interface OpenAIConfig extends ConfigEntry, OpenAIKeys {
    apiType?: 'openai' | 'azure' | undefined;
    background?: boolean | undefined;
    providerOptions?: {
        readonly openai?: OpenAIOptionsOfRequest | undefined;
        readonly azure?: OpenAIOptionsOfRequest | undefined;
        readonly [provider: string]: Readonly<Record<string, unknown>> | undefined;
    } | undefined;
}
interface OpenAIOptionsOfRequest extends Omit<RequestParams, 'messages'> {
    readonly include?: readonly string[] | undefined;
    readonly prompt_cache_key?: string | undefined;
    readonly prompt_cache_retention?: string | undefined;
    readonly reasoning?: Readonly<Record<string, unknown>> | undefined;
    readonly safety_identifier?: string | undefined;
    readonly store?: boolean | undefined;
    readonly truncation?: string | undefined;
    readonly web_search_options?: Readonly<Record<string, unknown>> | undefined;
    readonly [parameter: string]: unknown;
}
export declare const CONFIG_KEYS: readonly string[];
export declare function readConfig(config: ConfigEntry): OpenAIKeys;
export {};
