import type { CacheStore } from '@x/interfaces';
import { type CacheBounds } from './memory-cache.ts';
export interface DiskCacheOptions extends CacheBounds {
    readonly dir: string;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly now?: (() => number) | undefined;
}
export declare function createDiskCache(options: DiskCacheOptions): CacheStore;
export declare function hasDisk(): boolean;
