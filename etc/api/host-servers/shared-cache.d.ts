import { type ServerUrl } from './server-url.ts';
import { type OptionKinds } from '@x/kernel/options';
export interface SharedCacheOptions {
    readonly namespace: string;
    readonly ttl?: number | undefined;
    readonly name?: string | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export declare const DEFAULT_TTL_S = 604800;
export declare const SHARED_CACHE_KINDS: OptionKinds<SharedCacheOptions & {
    readonly url: string;
}>;
export declare function checkCache<O extends SharedCacheOptions & {
    readonly url: string;
}>(operation: string, options: O, kinds: OptionKinds<O>, server: ServerUrl): void;
