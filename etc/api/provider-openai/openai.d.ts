import type { Provider } from '@x/interfaces';
import { createAdapterClient, type CatalogueData } from '@x/provider-kit';
import { type Environment } from './endpoint.ts';
export interface OpenAIOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
    catalogue?: CatalogueData | undefined;
    fetch?: typeof globalThis.fetch | undefined;
    env?: Environment | undefined;
}
export declare function createOpenAI(options?: OpenAIOptions): Provider;
export declare const openai: Provider;
