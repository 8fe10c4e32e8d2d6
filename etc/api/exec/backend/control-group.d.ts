export interface GroupBases {
    readonly version: 1 | 2;
    readonly memory: string | null;
    readonly pids: string | null;
}
export interface ControlGroup {
    readonly version: 1 | 2;
    readonly memory: string | null;
    readonly pids: string | null;
}
export interface GroupLimits {
    readonly memoryBytes: number;
    readonly pids: number;
}
export declare function findGroups(proc?: string): GroupBases | null;
export declare function makeGroup({ version, memory, pids }: GroupBases, limits: GroupLimits): ControlGroup | null;
export declare function joinGroup(group: ControlGroup | null): string[];
export declare function groupMemory({ version, memory }: ControlGroup): number | null;
export declare function ranOutOfMemory({ version, memory }: ControlGroup): boolean;
export declare function endGroup(group: ControlGroup | null): Promise<void>;
