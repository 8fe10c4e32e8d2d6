import type { CacheStore } from '@x/interfaces';
import { type SharedCacheOptions } from '../shared-cache.ts';
export interface PostgresCacheOptions extends SharedCacheOptions {
    readonly url: string;
    readonly schema?: string | undefined;
    readonly connections?: number | undefined;
}
export declare function createPostgresCache(options: PostgresCacheOptions): CacheStore;
