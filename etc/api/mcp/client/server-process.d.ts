import type { ChildProcess } from 'node:child_process';
export interface ServerCommand {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly cwd?: string | undefined;
}
export declare function startServer({ command, args, env, cwd }: ServerCommand): Promise<ChildProcess>;
export declare function stopServer(child: ChildProcess): Promise<void>;
export declare function serverEnvironment(variables?: Readonly<Record<string, string>>, own?: Readonly<Record<string, string | undefined>>): Record<string, string>;
