import type { Workspace } from './workspace.ts';
export interface SandboxSpec {
    readonly kind: 'bubblewrap' | 'unshare';
    readonly workspace: Workspace;
    readonly given: string | null;
    readonly guard: string;
    readonly writable: readonly string[];
    readonly network: 'none' | 'host';
    readonly readOnly: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly hostPath: string;
}
export declare const environment: (env: Readonly<Record<string, string>>) => Record<string, string>;
