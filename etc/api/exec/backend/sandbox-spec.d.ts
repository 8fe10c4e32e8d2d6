export interface SandboxSpec {
    readonly kind: 'bubblewrap' | 'unshare';
    readonly workDir: string;
    readonly ownWorkDir: boolean;
    readonly network: 'none' | 'host';
    readonly readOnly: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly hostPath: string;
}
export declare const NOBODY = 65534;
export declare const environment: (env: Readonly<Record<string, string>>) => Record<string, string>;
