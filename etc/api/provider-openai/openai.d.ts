import type { Provider } from '@x/interfaces';
import { type AdapterPlatform, type CatalogueData } from '@x/provider-kit';
import type { Environment } from './endpoint.ts';
export interface OpenAIOptions extends Partial<Omit<AdapterPlatform, 'catalogue'>> {
    catalogue?: CatalogueData | undefined;
    fetch?: typeof globalThis.fetch | undefined;
    env?: Environment | undefined;
}
export declare function createOpenAI(options?: OpenAIOptions): Provider;
export declare const openai: Provider;
