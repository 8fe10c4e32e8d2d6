import type { ModelErrorKind } from '@x/interfaces';
import { XError } from '@x/kernel';
import { type FailureRule } from './failure-kind.ts';
export interface HttpRefusal {
    readonly status?: number | undefined;
    readonly headers?: {
        get(name: string): string | null;
    } | undefined;
    readonly body?: unknown;
    readonly message?: string | undefined;
    readonly kind?: ModelErrorKind | undefined;
}
export declare class RefusalError extends Error {
    readonly refusal: HttpRefusal;
    constructor(refusal: HttpRefusal);
}
export declare class BrokenBodyError extends Error {
    readonly bytes: number;
    constructor(bytes: number, cause: unknown);
}
export interface FailureFacts {
    readonly signal: AbortSignal | undefined;
    readonly secrets: ReadonlySet<string>;
    readonly now: () => number;
    readonly url: string;
    readonly refusalOf?: ((error: unknown) => HttpRefusal | undefined) | undefined;
    readonly rules?: readonly FailureRule[] | undefined;
}
export declare function convertError(thrown: unknown, facts: FailureFacts): unknown;
export declare function deepestMessage(error: Error | undefined): string | undefined;
export declare const isDecompressionError: (error: unknown) => boolean;
export declare function retryAfterMs(headers: {
    get(name: string): string | null;
}, now: () => number): number | undefined;
export declare function inBandFailure(body: unknown, status?: number, rules?: readonly FailureRule[]): XError;
