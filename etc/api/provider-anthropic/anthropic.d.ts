import type { Provider } from '@x/interfaces';
import { type AdapterPlatform, type CatalogueData } from '@x/provider-kit';
export interface AnthropicOptions extends Partial<Omit<AdapterPlatform, 'catalogue'>> {
    catalogue?: CatalogueData | undefined;
    fetch?: typeof globalThis.fetch | undefined;
}
export declare function createAnthropic(options?: AnthropicOptions): Provider;
export declare const anthropic: Provider;
