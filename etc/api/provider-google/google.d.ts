import { createAdapterClient, withModelRefs, type CatalogueData } from '@x/provider-kit';
import { type GoogleConfig, type GoogleSdk } from './config.ts';
export declare const googleCatalogue: CatalogueData;
export interface GoogleOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
    catalogue?: CatalogueData | undefined;
    sdk?: GoogleSdk | undefined;
    fetch?: typeof globalThis.fetch | undefined;
}
type GoogleProvider = ReturnType<typeof withModelRefs<GoogleConfig>>;
export declare function createGoogle(options?: GoogleOptions): GoogleProvider;
export declare const google: GoogleProvider;
export {};
