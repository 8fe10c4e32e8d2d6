import type { IncomingHttpHeaders } from 'node:http';
export type ExchangeState = 'open' | 'answered' | 'reset' | 'aborted';
export interface LoggedRequest {
    readonly method: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly status: number | null;
    readonly state: ExchangeState;
}
export declare function redactedHeaders(headers: IncomingHttpHeaders): Record<string, string>;
