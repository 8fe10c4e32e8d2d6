import { XError } from './x-error.ts';
export declare function abortError(signal: AbortSignal): XError;
export declare function throwIfAborted(signal: AbortSignal | undefined): void;
export declare function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T>;
