import { type IncomingMessage } from 'node:http';
import type { MaybePromise } from '@x/interfaces';
import type { Delivery } from './delivery.ts';
import { type LoggedRequest } from './http-log.ts';
export interface HttpRequest {
    readonly method: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    readonly headers: IncomingMessage['headers'];
    readonly body: unknown;
}
export type Handler = (request: HttpRequest) => MaybePromise<Delivery>;
export interface ShellOptions {
    readonly handle: Handler;
    readonly port?: number | undefined;
}
export interface HttpShell extends AsyncDisposable {
    readonly origin: string;
    readonly requests: readonly LoggedRequest[];
    requested(count: number): Promise<void>;
    idle(): Promise<void>;
    close(): Promise<void>;
}
export declare function startHttpShell({ handle, port }: ShellOptions): Promise<HttpShell>;
