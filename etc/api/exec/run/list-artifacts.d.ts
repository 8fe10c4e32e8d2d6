import type { Artifact } from '@x/interfaces';
export declare function listArtifacts(root: string, most?: number, within?: number): Artifact[];
export interface TreeSize {
    readonly bytes: number;
    readonly entries: number;
    readonly endless: boolean;
}
export declare const directorySize: (root: string) => TreeSize;
export interface DirectoryLimits {
    readonly workspaceBytes: number;
    readonly workspaceEntries: number;
}
export declare function overfull(root: string, limits: DirectoryLimits, within?: number): boolean;
