import type { CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces';
export interface StoreAccess {
    get(store: CacheStore, key: string): MaybePromise<StoredAnswer | undefined>;
    set(store: CacheStore, key: string, value: StoredAnswer): MaybePromise<void>;
}
export interface TieredCache extends CacheStore {
    get(key: string, access?: StoreAccess): MaybePromise<StoredAnswer | undefined>;
    set(key: string, value: StoredAnswer, access?: StoreAccess): MaybePromise<void>;
}
export declare const claimStoreOf: (store: CacheStore) => CacheStore;
export declare const asTiered: (store: CacheStore) => TieredCache | undefined;
export declare function createTieredCache(fast: CacheStore, lasting: CacheStore, name?: string): CacheStore;
