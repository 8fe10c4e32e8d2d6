import type { ConfigEntry, RequestParams } from '@x/interfaces';
import type { GoogleModelFamily } from './family.ts';
export type GoogleSdk = 'fetch' | 'genai' | 'generative-ai';
export interface GoogleKeys {
    cachedContent?: string | undefined;
    functionCallIds?: boolean | undefined;
    generationConfig?: Record<string, unknown> | undefined;
    modelFamily?: Partial<GoogleModelFamily> | undefined;
    openApiSchemas?: boolean | undefined;
    safetySettings?: readonly Record<string, unknown>[] | undefined;
    sdk?: GoogleSdk | undefined;
    thinkingConfig?: Record<string, unknown> | undefined;
}
export interface GoogleConfig extends ConfigEntry, GoogleKeys {
    apiType?: 'google' | undefined;
    providerOptions?: {
        readonly google?: GoogleOptionsOfRequest | undefined;
        readonly [provider: string]: Readonly<Record<string, unknown>> | undefined;
    } | undefined;
}
interface GoogleOptionsOfRequest extends Omit<RequestParams, 'messages'>, GoogleParams {
    readonly [parameter: string]: unknown;
}
export declare const CONFIG_KEYS: readonly string[];
export declare function readConfig(config: ConfigEntry): GoogleKeys;
export interface GoogleParams {
    readonly cached_content?: string | undefined;
    readonly generation_config?: Record<string, unknown> | undefined;
    readonly labels?: Record<string, unknown> | undefined;
    readonly safety_settings?: readonly Record<string, unknown>[] | undefined;
    readonly thinking_config?: Record<string, unknown> | undefined;
}
export declare const PARAM_KEYS: ReadonlySet<string>;
export declare function readOwnParams(params: Readonly<Record<string, unknown>>): GoogleParams;
export {};
