import type { HttpRequest } from '../http-shell.ts';
export interface ChatRequest {
    readonly model: string;
    readonly messages: readonly Readonly<Record<string, unknown>>[];
    readonly stream: boolean;
    readonly includeUsage: boolean;
    readonly n: number;
    readonly azure: boolean;
    readonly body: Readonly<Record<string, unknown>>;
    readonly index: number;
}
export declare function chatPath({ method, path, query }: HttpRequest): {
    deployment: string;
} | undefined;
export declare function readChatRequest(given: unknown, deployment: string, index: number): ChatRequest;
export declare const isRecord: (value: unknown) => value is Record<string, unknown>;
