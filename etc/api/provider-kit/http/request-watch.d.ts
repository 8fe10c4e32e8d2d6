export interface RequestWatcher {
    begin(): void;
    onSend(): void;
    onUnsent(): void;
    onBytes(): void;
    stops?(request: {
        stop(): void;
    }): void;
    readonly isAborted?: boolean;
}
export declare function watchRequest(signal: AbortSignal, watcher: RequestWatcher): void;
export declare function watchedInit(init: RequestInit, watcher: RequestWatcher & {
    readonly signal: AbortSignal;
}): RequestInit;
export declare function plainInit(init: RequestInit): RequestInit;
export declare function watchBody(response: Response, watcher: RequestWatcher): void;
export declare const watcherOf: (subject: AbortSignal | RequestInit | Pick<Response, 'body'> | null | undefined) => RequestWatcher | undefined;
