export interface RequestWatcher {
    begin(): void;
    onSend(): void;
    onUnsent(): void;
    onBytes(): void;
}
export declare function watchRequest(signal: AbortSignal, watcher: RequestWatcher): void;
export declare function watchBody(response: Response, watcher: RequestWatcher): void;
export declare const watcherOf: (subject: AbortSignal | Pick<Response, 'body'> | null | undefined) => RequestWatcher | undefined;
