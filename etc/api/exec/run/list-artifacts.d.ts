import type { Artifact } from '@x/interfaces';
export declare function listArtifacts(root: string, maxArtifacts?: number, timeoutMs?: number): Artifact[];
export interface TreeSize {
    readonly bytes: number;
    readonly entries: number;
    readonly unbounded: boolean;
}
export declare const directorySize: (root: string) => TreeSize;
export interface DirectoryLimits {
    readonly workspaceBytes: number;
    readonly workspaceEntries: number;
}
export declare function isOverfull(root: string, limits: DirectoryLimits, timeoutMs?: number): boolean;
