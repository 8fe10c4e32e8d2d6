import type { HostedChat, ModelErrorKind } from '@x/interfaces';
export type RetryKind = Exclude<ModelErrorKind, 'aborted'> | 'store';
export interface RetryPolicy {
    readonly kinds?: readonly RetryKind[] | undefined;
    readonly for?: number | undefined;
    readonly most?: number | undefined;
    readonly firstDelay?: number | undefined;
    readonly maxDelay?: number | undefined;
}
export interface Retry {
    readonly kind: RetryKind;
    readonly reason: string;
    readonly failures: number;
    readonly delayMs: number;
}
export declare const checkRetry: (policy: RetryPolicy | undefined, attempt: string) => void;
interface FailureRow {
    readonly policy: RetryPolicy | undefined;
    readonly before: HostedChat['retry'];
    readonly ranMs: number;
    readonly random: number;
    readonly reason: string;
}
export declare function retryOf(error: unknown, { policy, before, ranMs, random, reason }: FailureRow): Retry | null;
export declare function waitsOutInTool(error: unknown, policy?: RetryPolicy): boolean;
interface Failure {
    readonly kind: RetryKind | 'aborted';
    readonly retryAfterMs: number;
    readonly ofModel: boolean;
}
export declare function failureOf(error: unknown): Failure | null;
export {};
