import type { MaybePromise } from '@x/interfaces';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { HttpTransport } from './http-transport.ts';
export interface TokenStore {
    get(key: string): MaybePromise<string | undefined>;
    set(key: string, value: string): MaybePromise<void>;
    delete(key: string): MaybePromise<void>;
}
export interface McpAuth {
    readonly store: TokenStore;
    readonly redirectUrl: string;
    readonly open: (url: URL) => MaybePromise<void>;
    readonly returned: () => MaybePromise<string | URL>;
    readonly clientName?: string | undefined;
    readonly clientId?: string | undefined;
    readonly clientSecret?: string | undefined;
    readonly scope?: string | undefined;
}
export interface Authorization {
    readonly provider: OAuthClientProvider;
    finish(transport: HttpTransport): Promise<void>;
}
export declare function createAuthorization(server: URL, auth: McpAuth, secrets: Set<string>): Authorization;
