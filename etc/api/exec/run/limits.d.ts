export interface ExecutionLimits {
    readonly timeout: number;
    readonly outputBytes: number;
    readonly memoryBytes: number;
    readonly pids: number;
    readonly openFiles: number;
    readonly fileBytes: number;
    readonly workspaceBytes: number;
    readonly workspaceEntries: number;
}
export declare function limitsOf(given?: {
    readonly [Name in keyof ExecutionLimits]?: ExecutionLimits[Name] | undefined;
}): ExecutionLimits;
