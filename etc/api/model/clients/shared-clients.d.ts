import type { CacheStore, ConfigEntry, ModelClient, Provider } from '@x/interfaces';
import { type KeyMaker } from '../cache/cache-key.ts';
export interface SharedClients {
    clientFor(provider: Provider, entry: ConfigEntry): ModelClient;
    cacheFor(seed: number): CacheStore;
    readonly keys: KeyMaker;
}
export declare function createSharedClients(defaultCache: (seed: number) => CacheStore): SharedClients;
