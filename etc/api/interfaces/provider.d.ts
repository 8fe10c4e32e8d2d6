import type { ModelClient } from './model-client.ts';
import type { ConfigEntry } from './config-entry.ts';
export interface ProviderModule {
    readonly specifier: string;
    readonly export: string;
    readonly url?: string | undefined;
}
export interface Provider {
    readonly apiTypes: readonly string[];
    readonly module?: ProviderModule | undefined;
    readonly specVersion: 1;
    readonly clientKeys?: readonly string[] | undefined;
    createClient(config: ConfigEntry): ModelClient;
}
