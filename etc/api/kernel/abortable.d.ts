import type { XError } from './x-error.ts';
export declare const abortError: (signal: AbortSignal) => XError;
export declare function throwIfAborted(signal: AbortSignal | undefined): void;
export declare function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T>;
