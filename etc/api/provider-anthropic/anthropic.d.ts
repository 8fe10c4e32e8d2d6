import type { Provider } from '@x/interfaces';
import { createAdapterClient, type CatalogueData } from '@x/provider-kit';
export interface AnthropicOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
    catalogue?: CatalogueData | undefined;
    fetch?: typeof globalThis.fetch | undefined;
}
export declare function createAnthropic(options?: AnthropicOptions): Provider;
export declare const anthropic: Provider;
