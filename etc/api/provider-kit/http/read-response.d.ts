import type { ConfigEntry } from '@x/interfaces';
export type ReceiveLimits = Pick<ConfigEntry, 'maxErrorBytes' | 'maxEventBytes' | 'maxBodyBytes'>;
export declare function requireSuccess(response: Response, limits?: ReceiveLimits): Promise<Response>;
export declare function readJson(response: ReadableResponse, limits?: ReceiveLimits): Promise<unknown>;
export interface FrameOptions {
    readonly format?: 'sse' | 'ndjson' | undefined;
    readonly done?: object | undefined;
    readonly limits?: ReceiveLimits | undefined;
}
export declare function readFrames(response: ReadableResponse, options?: FrameOptions): AsyncGenerator<unknown[], void>;
type ReadableResponse = Pick<Response, 'text' | 'body' | 'headers'>;
export {};
