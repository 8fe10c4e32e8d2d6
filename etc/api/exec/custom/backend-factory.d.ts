import type { Isolation } from '@x/interfaces';
import type { ExecutionLimits } from '../run/limits.ts';
import type { Backend } from './backend.ts';
export interface BackendContext<Settings = undefined> {
    readonly id: string;
    readonly workDir: string;
    readonly limits: ExecutionLimits;
    readonly settings: Settings;
}
export interface BackendFactory<Settings = undefined> {
    readonly isolation: Isolation;
    readonly specVersion: 1;
    readonly concurrency?: number | undefined;
    readonly module?: {
        readonly specifier: string;
        readonly export: string;
        readonly url?: string | undefined;
    } | undefined;
    createBackend(context: BackendContext<Settings>): Backend;
}
