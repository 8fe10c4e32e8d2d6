import { type XError } from '@x/kernel';
export interface HttpRefusal {
    readonly status?: number | undefined;
    readonly headers?: {
        get(name: string): string | null;
    } | undefined;
    readonly body?: unknown;
    readonly message?: string | undefined;
}
export interface FailureFacts {
    readonly signal: AbortSignal | undefined;
    readonly timedOut: boolean;
    readonly secrets: ReadonlySet<string>;
    readonly now: () => number;
    readonly url: string;
    readonly refusalOf?: ((error: unknown) => HttpRefusal | undefined) | undefined;
}
export declare function raiseFailure(error: unknown, facts: FailureFacts): unknown;
export declare function inBandFailure(body: unknown, status?: number): XError;
