import type { Provider } from '@x/interfaces';
import { createAdapterClient, type CatalogueData } from '@x/provider-kit';
import { type GoogleSdk } from './config.ts';
export declare const googleCatalogue: CatalogueData;
export interface GoogleOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
    catalogue?: CatalogueData | undefined;
    sdk?: GoogleSdk | undefined;
    fetch?: typeof globalThis.fetch | undefined;
}
export declare function createGoogle(options?: GoogleOptions): Provider;
export declare const google: Provider;
