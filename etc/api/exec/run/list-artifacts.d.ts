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
export declare const DIRECTORY_TOO_FULL = "the work directory is over its limits: remove files from it, or raise `workspaceBytes` and `workspaceEntries` of `limits`";
export declare function isLarge(root: string, { workspaceBytes, workspaceEntries }: DirectoryLimits): boolean;
export declare function isOverfull(root: string, limits: DirectoryLimits, timeoutMs?: number): boolean;
