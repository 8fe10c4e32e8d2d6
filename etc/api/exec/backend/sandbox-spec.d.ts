import type { ChangeRules } from '../changes/changeset.ts';
import type { Workspace } from './workspace.ts';
import type { Visible } from './programs.ts';
export interface SandboxSpec {
    readonly kind: 'bubblewrap' | 'unshare';
    readonly workspace: Workspace;
    readonly given: string | null;
    readonly rules: ChangeRules;
    readonly network: 'none' | 'host';
    readonly readOnly: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly hostPath: string;
}
export declare const environment: (env: Readonly<Record<string, string>>) => Record<string, string>;
export interface View {
    readonly programs: Visible;
    readonly workspace: string;
    readonly filter: Uint8Array | null;
}
export interface SandboxCommand {
    readonly argv: readonly string[];
    readonly inputs: readonly Uint8Array[];
    readonly env: Readonly<Record<string, string>>;
}
