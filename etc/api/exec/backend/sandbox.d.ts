import { type Backend } from '../run/job.ts';
export interface SandboxSpec {
    readonly kind: 'bubblewrap' | 'unshare';
    readonly workDir: string;
    readonly ownWorkDir: boolean;
    readonly network: 'none' | 'host';
    readonly readOnly: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly hostPath: string;
}
export declare function sandboxBackend(spec: SandboxSpec): Backend;
