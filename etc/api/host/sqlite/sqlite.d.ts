import type { HostBackend } from '@x/interfaces';
export interface SqliteOptions {
    readonly synchronous?: 'NORMAL' | 'FULL' | undefined;
    readonly readOnly?: boolean | undefined;
    readonly now?: (() => number) | undefined;
}
export declare function sqlite(path: string, options?: SqliteOptions): HostBackend;
