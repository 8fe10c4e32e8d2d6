import type { ConfigEntry } from '@x/interfaces';
import { type HttpRefusal } from '../failure/convert-error.ts';
import { type EventReader } from './stream-events.ts';
export type ReceiveLimits = Pick<ConfigEntry, 'maxErrorBytes' | 'maxEventBytes' | 'maxBodyBytes'>;
export declare function requireSuccess(response: Response, limits?: ReceiveLimits, readRefusal?: (refusal: HttpRefusal) => HttpRefusal): Promise<Response>;
export declare function readJson(response: ReadableResponse, limits?: ReceiveLimits): Promise<unknown>;
export declare function readWhole(response: ReadableResponse, limits?: ReceiveLimits, onLine?: (line: string) => boolean): Promise<string>;
export type StreamFormat = 'sse' | 'ndjson' | {
    readonly mediaType: string;
    readonly createReader: () => EventReader;
};
export interface FrameOptions {
    readonly format?: StreamFormat | undefined;
    readonly done?: object | undefined;
    readonly limits?: ReceiveLimits | undefined;
}
export declare function readFrames(response: ReadableResponse, options?: FrameOptions): AsyncGenerator<unknown[], void>;
type ReadableResponse = Pick<Response, 'text' | 'body' | 'headers'>;
export {};
