import type { ConfigEntry } from '@x/interfaces';
import { type EndpointName, type EndpointOverrides } from './endpoint-profiles.ts';
export interface OpenAIKeys {
    api?: 'auto' | 'chat' | 'responses' | undefined;
    endpointProfile?: EndpointName | EndpointOverrides | undefined;
    reasoningModel?: boolean | undefined;
    streamUsage?: boolean | undefined;
}
export interface OpenAIConfig extends ConfigEntry, OpenAIKeys {
    apiType?: 'openai' | 'azure' | undefined;
}
export declare const CONFIG_KEYS: readonly string[];
export declare function readConfig(config: ConfigEntry): OpenAIKeys;
