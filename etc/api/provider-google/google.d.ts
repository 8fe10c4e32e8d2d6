import type { Provider } from '@x/interfaces';
import { type AdapterPlatform, type PriceTable } from '@x/provider-kit';
import { type GoogleSdk } from './config.ts';
export interface GoogleOptions extends Partial<Omit<AdapterPlatform, 'prices'>> {
    prices?: PriceTable | undefined;
    sdk?: GoogleSdk | undefined;
    fetch?: typeof globalThis.fetch | undefined;
}
export declare function createGoogle(options?: GoogleOptions): Provider;
export declare const google: Provider;
