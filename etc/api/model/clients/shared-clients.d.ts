import type { CacheStore, ConfigEntry, ModelClient, Provider } from '@x/interfaces';
import { type KeyMaker } from '../cache/cache-key.ts';
export interface Family {
    clientFor(provider: Provider, entry: ConfigEntry): ModelClient;
    cacheFor(seed: number): CacheStore;
    readonly keys: KeyMaker;
}
export declare function createFamily(defaultCache: (seed: number) => CacheStore): Family;
