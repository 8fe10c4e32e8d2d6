import type { ConfigEntry, ModelClient, ModelResponse, Provider } from '@x/interfaces';
import { type Endpoint } from '../cache/cache-key.ts';
import { type SplitOptions } from './entry.ts';
import { type EntryPrice } from '../usage/price.ts';
export interface Slot {
    readonly index: number;
    readonly client: ConfigEntry;
    readonly entry: ConfigEntry;
    readonly stored: SplitOptions;
    readonly plain: SplitOptions | null;
    readonly provider: Provider | null;
    readonly price: EntryPrice | null;
    readonly endpoint: Endpoint;
    readonly hasEmptyKey: boolean;
    response?: ModelResponse | null;
    readonly secrets: ReadonlySet<string>;
    readonly account: () => string;
}
export type OwnClients = (ModelClient | undefined)[];
export declare function slotsOf(base: Readonly<ConfigEntry>, configList: readonly Readonly<ConfigEntry>[] | null | undefined, providers: readonly Provider[]): Slot[];
export declare const providerInErrors: ({ module, apiTypes }: Partial<Provider>) => string | undefined;
export declare function checkBaseUrl({ apiType, baseUrl }: ConfigEntry, index: number): void;
export declare const providerNameOf: ({ provider }: Pick<Slot, 'provider'>) => string | null;
export declare const modelsText: (slots: readonly Slot[]) => string;
export declare function hostOf(url: string | undefined): string | null;
export declare const isAzure: (apiType: string | undefined) => boolean;
