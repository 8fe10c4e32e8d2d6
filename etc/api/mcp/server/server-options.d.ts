import type { Io, Journal, MaybePromise, RunTracer, Tool } from '@x/interfaces';
interface ServedAgentRun {
    run(task: string, options: {
        readonly journal: Journal;
        readonly signal: AbortSignal;
        readonly tracer?: RunTracer | undefined;
    }): Promise<{
        readonly text: string;
        readonly terminationReason: string | null;
    }>;
}
export interface ServedAgent {
    readonly name: string;
    readonly description: string;
    readonly create: (io: Io) => MaybePromise<ServedAgentRun>;
}
export interface McpServerOptions {
    readonly name: string;
    readonly version?: string | undefined;
    readonly instructions?: string | undefined;
    readonly tools?: readonly Tool[] | undefined;
    readonly agents?: readonly ServedAgent[] | undefined;
    readonly key?: string | undefined;
    readonly authenticate?: ((request: Request) => MaybePromise<string | null>) | undefined;
    readonly allowedHosts?: readonly string[] | undefined;
    readonly allowedOrigins?: readonly string[] | undefined;
    readonly sessions?: boolean | undefined;
    readonly maxRequestBytes?: number | undefined;
    readonly requestsPerMinute?: number | undefined;
    readonly maxCalls?: number | undefined;
    readonly approvalTimeout?: number | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
    readonly tracer?: RunTracer | undefined;
    readonly now?: (() => number) | undefined;
}
export interface ListeningServer extends AsyncDisposable {
    readonly url: string;
    close(): Promise<void>;
}
export interface McpServer extends AsyncDisposable {
    fetch(request: Request): Promise<Response>;
    listen(address?: {
        readonly port?: number | undefined;
        readonly host?: string | undefined;
    }): Promise<ListeningServer>;
    stdio(streams?: {
        readonly input?: object | undefined;
        readonly output?: object | undefined;
    }): Promise<void>;
    close(): Promise<void>;
}
export declare function checkServerOptions(options: McpServerOptions): void;
export {};
