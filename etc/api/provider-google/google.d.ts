import type { Provider } from '@x/interfaces';
import { type AdapterPlatform, type CatalogueData } from '@x/provider-kit';
import { type GoogleSdk } from './config.ts';
export interface GoogleOptions extends Partial<Omit<AdapterPlatform, 'catalogue'>> {
    catalogue?: CatalogueData | undefined;
    sdk?: GoogleSdk | undefined;
    fetch?: typeof globalThis.fetch | undefined;
}
export declare function createGoogle(options?: GoogleOptions): Provider;
export declare const google: Provider;
