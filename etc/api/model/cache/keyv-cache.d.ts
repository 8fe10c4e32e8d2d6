import type { CacheStore } from '@x/interfaces';
export interface KeyValueStore {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown, ttl?: number): Promise<unknown>;
    disconnect?(): Promise<unknown>;
}
export interface KeyvCacheOptions {
    readonly namespace: string;
    readonly ttl?: number | undefined;
    readonly name?: string | undefined;
}
export declare function createKeyvCache(store: KeyValueStore, options: KeyvCacheOptions): CacheStore;
