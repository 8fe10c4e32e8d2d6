import type { CacheStore, ConfigEntry, ModelClient, Provider } from '@x/interfaces';
import { KeyMaker } from '../cache/cache-key.ts';
export interface SharedClients {
    clientFor(provider: Provider, entry: ConfigEntry): ModelClient;
    cacheFor(seed: number): CacheStore;
    readonly keys: KeyMaker;
}
export declare function createSharedClients(makeCache?: (seed: number) => CacheStore): SharedClients;
export declare function defaultCache(seed: number): CacheStore;
