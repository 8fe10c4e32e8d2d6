import type { ConfigEntry, Provider } from '@x/interfaces';
import { createAdapterClient, withModelRefs, type CatalogueData, type Dialect, type Wire } from '@x/provider-kit';
export interface AnthropicOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
    catalogue?: CatalogueData | undefined;
    fetch?: typeof globalThis.fetch | undefined;
}
export interface Platform {
    readonly module: NonNullable<Provider['module']>;
    readonly apiType: string;
    readonly keys: readonly string[];
    readonly foreignWords: Readonly<Record<string, string>>;
    readonly keyVariablesOf: (entry: ConfigEntry) => readonly string[];
    open(config: ConfigEntry, environment: Environment): OpenPlatform;
}
type Environment = Readonly<Record<string, string | undefined>>;
export interface OpenPlatform {
    readonly endpoint: string;
    readonly load?: (() => Promise<unknown>) | undefined;
    readonly connect: (fetch: typeof globalThis.fetch, now: () => number) => Wire;
    readonly dialect?: ((dialect: Dialect) => Partial<Dialect>) | undefined;
}
type AnthropicProvider<Entry extends ConfigEntry> = ReturnType<typeof withModelRefs<Entry>>;
export declare function createProvider<Entry extends ConfigEntry>(platform: Platform, options: AnthropicOptions): AnthropicProvider<Entry>;
export declare function hostPart(key: string, value: string): string;
export {};
