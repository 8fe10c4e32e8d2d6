import type { ModelErrorKind } from '@x/interfaces';
export interface Refusal {
    readonly status?: number | undefined;
    readonly code?: unknown;
    readonly type?: unknown;
    readonly message?: string | undefined;
}
export declare function kindOf({ status, code, type, message }: Refusal): ModelErrorKind;
