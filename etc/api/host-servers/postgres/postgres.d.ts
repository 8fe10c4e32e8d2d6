import type { HostBackend } from '@x/interfaces';
export interface PostgresOptions {
    readonly schema?: string | undefined;
    readonly connections?: number | undefined;
    readonly timeout?: number | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export declare function postgres(url: string, options?: PostgresOptions): HostBackend;
