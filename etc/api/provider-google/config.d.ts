import type { ConfigEntry } from '@x/interfaces';
import type { GoogleModelFamily } from './family.ts';
export type GoogleSdk = 'generative-ai' | 'genai' | 'fetch';
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
