import { XError } from './x-error.ts';
export declare const abortError: (signal: AbortSignal) => XError;
export declare function throwIfAborted(signal: AbortSignal | undefined): void;
export declare function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T>;
export declare const stopError: (cause: unknown) => XError;
export declare function onAbort(signal: AbortSignal | undefined, listener: (cause: unknown) => void): (() => void) | undefined;
