import type { MaybePromise } from '@x/interfaces';
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
