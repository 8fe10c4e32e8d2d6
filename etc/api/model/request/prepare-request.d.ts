import type { Budget, CacheStore, ConfigEntry, FilterFunc, ModelParams } from '@x/interfaces';
import type { SharedClients } from '../clients/shared-clients.ts';
import { type PricePair } from '../usage/price.ts';
import { type Slot } from '../config/slot.ts';
export declare const LEGACY_DEFAULT_CACHE_SEED = 41;
export interface PreparedRequest {
    readonly params: ModelParams;
    readonly store: CacheStore | null;
    readonly cacheName: string | number | null;
    readonly extra: Extra;
    readonly price: PricePair | null;
}
export interface Extra extends Pick<ConfigEntry, 'cacheMode' | 'failover' | 'maxRetryAfter' | 'price' | 'tags' | 'timeout'> {
    readonly filterFunc?: FilterFunc | null | undefined;
    readonly context?: Record<string, unknown> | null | undefined;
    readonly agent?: string | undefined;
    readonly sample?: number | undefined;
    readonly budget?: Budget | null | undefined;
}
export declare function prepareRequest(slot: Slot, request: Readonly<ConfigEntry>, shared: SharedClients): PreparedRequest;
