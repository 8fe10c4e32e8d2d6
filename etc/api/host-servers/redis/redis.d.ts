import type { HostBackend } from '@x/interfaces';
export interface RedisOptions {
    readonly prefix?: string | undefined;
    readonly timeout?: number | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export declare function redis(url: string, options?: RedisOptions): HostBackend;
