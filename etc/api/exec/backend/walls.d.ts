import { type GroupBases } from './control-group.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
export interface Walls {
    readonly memory: 'kernel' | 'watched' | 'none';
    readonly processes: 'kernel' | 'watched' | 'none';
    readonly disk: 'kernel' | 'watched' | 'none';
    readonly network: 'closed' | 'open';
    readonly kernel: 'own' | 'filtered' | 'shared';
    readonly program: 'user' | 'root';
}
export type WallRequirement = {
    [Name in keyof Walls]: `${Name}:${Walls[Name]}`;
}[keyof Walls];
export interface MachineFacts {
    readonly isRoot: boolean;
    readonly groups: Pick<GroupBases, 'memory' | 'pids'> | null;
    readonly hasFilter: boolean;
    readonly hasLoader: boolean;
}
export declare function machineFacts(): MachineFacts;
export declare const NO_WALLS: Omit<Walls, 'program'>;
export declare const WASM_WALLS: Omit<Walls, 'program'>;
export declare const containerWalls: (runtime: string | undefined, network: 'none' | 'host') => Omit<Walls, 'program'>;
export declare function sandboxWalls({ kind, workspace, network }: SandboxSpec, { isRoot, groups, hasFilter, hasLoader }: MachineFacts): Omit<Walls, 'program'>;
export declare const weakestWalls: (all: readonly Walls[]) => Walls;
export declare const unmetRequirements: (walls: Walls, required: readonly WallRequirement[]) => string[];
export declare function checkRequirements(required: readonly unknown[]): void;
