import { createAdapterClient, withModelRefs, type CatalogueData } from '@x/provider-kit';
import { type AnthropicConfig } from './config.ts';
export interface AnthropicOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
    catalogue?: CatalogueData | undefined;
    fetch?: typeof globalThis.fetch | undefined;
}
type AnthropicProvider = ReturnType<typeof withModelRefs<AnthropicConfig>>;
export declare function createAnthropic(options?: AnthropicOptions): AnthropicProvider;
export declare const anthropic: AnthropicProvider;
export {};
