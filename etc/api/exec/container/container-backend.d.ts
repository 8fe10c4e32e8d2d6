import { type LimitedBackend } from '../run/job.ts';
import type { ExecutionLimits } from '../run/limits.ts';
export interface ContainerSpec {
    readonly kind: 'container';
    readonly sockets: readonly string[];
    readonly image: string;
    readonly name: string;
    readonly runtime?: string | undefined;
    readonly network: 'none' | 'host';
    readonly env: Readonly<Record<string, string>>;
    readonly limits: ExecutionLimits;
    readonly ttl?: number | undefined;
}
export declare function containerBackend(spec: ContainerSpec): LimitedBackend;
