import type { Io, MaybePromise } from '@x/interfaces';
import type { McpAuth } from './authorization.ts';
import type { ServerCommand } from './server-process.ts';
export interface McpOptions {
    readonly name: string;
    readonly command?: string | undefined;
    readonly args?: readonly string[] | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
    readonly cwd?: string | undefined;
    readonly sandbox?: ((command: ServerCommand) => MaybePromise<ServerCommand>) | undefined;
    readonly url?: string | URL | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly auth?: McpAuth | undefined;
    readonly fetch?: typeof globalThis.fetch | undefined;
    readonly elicitation?: boolean | undefined;
    readonly io?: Pick<Io, 'input'> | undefined;
    readonly connectTimeout?: number | undefined;
    readonly maxMessageBytes?: number | undefined;
    readonly signal?: AbortSignal | undefined;
}
export declare function checkMcpOptions(options: McpOptions): void;
