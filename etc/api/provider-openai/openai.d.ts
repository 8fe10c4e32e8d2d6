import { createAdapterClient, withModelRefs, type CatalogueData } from '@x/provider-kit';
import { type OpenAIConfig, type OpenAISdk } from './config.ts';
import { type Environment } from './endpoint.ts';
export interface OpenAIOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
    catalogue?: CatalogueData | undefined;
    sdk?: OpenAISdk | undefined;
    fetch?: typeof globalThis.fetch | undefined;
    env?: Environment | undefined;
}
type OpenAIProvider = ReturnType<typeof withModelRefs<OpenAIConfig>>;
export declare function createOpenAI(options?: OpenAIOptions): OpenAIProvider;
export declare const openai: OpenAIProvider;
export {};
