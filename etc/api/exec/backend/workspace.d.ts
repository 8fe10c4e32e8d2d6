import type { DirectoryLimits } from '../run/list-artifacts.ts';
export declare const NOBODY_UID = 65534;
export interface Workspace {
    readonly path: string;
    readonly inside: string;
    readonly holder: number | null;
    readonly byRoot: boolean;
    readonly isLayered: boolean;
}
export interface HeldWorkspace extends Workspace {
    release(): void;
}
export declare const plainWorkspace: (directory: string) => HeldWorkspace;
export declare const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
export declare function holdWorkspace(directory: string, limits: DirectoryLimits, lower?: string | null): HeldWorkspace;
export declare function enterWorkspace({ holder, byRoot }: Workspace, owner: number | null): string[];
export declare function bytesInMemory({ path, holder }: Workspace): number;
export declare function isFull({ path, holder }: Workspace): boolean;
export declare function makeRoom(workspace: Workspace, bytes: number, entries: number): Promise<void>;
