export interface CommandLine {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly cwd?: string | undefined;
}
export interface CommandSandboxOptions {
    readonly readOnly?: readonly string[] | undefined;
    readonly writable?: readonly string[] | undefined;
    readonly network?: 'none' | 'host' | undefined;
}
export declare function sandboxCommand(options?: CommandSandboxOptions): (line: CommandLine) => CommandLine;
