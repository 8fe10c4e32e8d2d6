import type { CacheStore } from '@x/interfaces';
export declare function defaultCache(seed: number): CacheStore;
