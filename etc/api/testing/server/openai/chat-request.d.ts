import type { HttpRequest } from '../http-shell.ts';
export interface ChatRequest {
    readonly api: 'chat' | 'responses';
    readonly model: string;
    readonly messages: readonly Readonly<Record<string, unknown>>[];
    readonly stream: boolean;
    readonly includeUsage: boolean;
    readonly n: number;
    readonly azure: boolean;
    readonly body: Readonly<Record<string, unknown>>;
    readonly index: number;
}
export interface RequestPath extends Pick<ChatRequest, 'api'> {
    readonly deployment: string;
}
export declare function requestPath({ method, path, query }: HttpRequest): RequestPath | undefined;
export declare function readChatRequest(given: unknown, { api, deployment }: RequestPath, index: number): ChatRequest;
export declare const isRecord: (value: unknown) => value is Record<string, unknown>;
