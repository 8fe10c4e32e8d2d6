import type { CacheStore } from '@x/interfaces';
export declare function createTieredCache(fast: CacheStore, lasting: CacheStore, name?: string): CacheStore;
