import type { ErrorCode, ErrorInit } from '@x/interfaces';
export declare class XError extends Error {
    readonly code: ErrorCode;
    readonly details?: ErrorInit['details'];
    readonly kind?: ErrorInit['kind'];
    readonly status?: ErrorInit['status'];
    readonly retryAfterMs?: ErrorInit['retryAfterMs'];
    readonly attempts?: ErrorInit['attempts'];
    constructor(code: ErrorCode, message: string, init?: ErrorInit);
    get name(): string;
}
export declare function isXError(error: unknown, code?: ErrorCode): error is XError;
