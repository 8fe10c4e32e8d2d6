import type { CacheStore } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
export interface CacheBounds {
    readonly maxEntries?: number | undefined;
    readonly maxBytes?: number | undefined;
    readonly maxEntryBytes?: number | undefined;
    readonly ttl?: number | undefined;
}
export interface MemoryCacheOptions extends CacheBounds {
    readonly name?: string | undefined;
    readonly now?: (() => number) | undefined;
}
export declare const CACHE_BOUND_KINDS: OptionKinds<CacheBounds>;
export declare function createMemoryCache(options?: MemoryCacheOptions): CacheStore;
