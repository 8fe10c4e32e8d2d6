import type { ModelErrorKind } from '@x/interfaces';
export interface FailureSigns {
    readonly status?: number | undefined;
    readonly code?: unknown;
    readonly type?: unknown;
    readonly message?: string | undefined;
    readonly empty?: boolean | undefined;
}
export interface FailureRule {
    readonly kind: ModelErrorKind;
    readonly status?: number | undefined;
    readonly words?: string | undefined;
}
export declare const kindByRules: (signs: FailureSigns, rules?: readonly FailureRule[]) => ModelErrorKind | undefined;
export declare function kindOf(signs: FailureSigns, rules?: readonly FailureRule[]): ModelErrorKind;
