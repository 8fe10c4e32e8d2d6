import type { CacheStore } from '@x/interfaces';
import { type SharedCacheOptions } from '../shared-cache.ts';
export interface RedisCacheOptions extends SharedCacheOptions {
    readonly url: string;
}
export declare function createRedisCache(options: RedisCacheOptions): CacheStore;
