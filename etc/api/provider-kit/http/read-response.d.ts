import { type Readable } from './read-text.ts';
import { type ReceiveLimits } from './receive-limits.ts';
export interface FrameOptions {
    readonly format?: 'sse' | 'ndjson' | undefined;
    readonly done?: object | undefined;
    readonly limits?: ReceiveLimits | undefined;
}
export declare function readJson(response: Readable, limits?: ReceiveLimits): Promise<unknown>;
export declare function readFrames(response: Readable, options?: FrameOptions): AsyncGenerator<unknown[], void>;
