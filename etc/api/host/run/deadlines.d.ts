import type { ApprovalDecision, JournalEntry, MaybePromise, PendingApproval } from '@x/interfaces';
export interface ApprovalPolicy {
    readonly within: number;
    readonly otherwise?: ApprovalDecision | ((pending: PendingApproval, times: number) => MaybePromise<ApprovalDecision | {
        readonly within: number;
    }>) | undefined;
}
export declare function checkApprovals(policy: ApprovalPolicy | undefined): void;
export declare const questionsIn: (entries: readonly JournalEntry[]) => readonly PendingApproval[];
export declare function deadlinesOf(policy: ApprovalPolicy, entries: readonly JournalEntry[], now: number): {
    readonly added: readonly JournalEntry[];
    readonly first: number | undefined;
};
export declare function passedDeadlines({ within, otherwise }: ApprovalPolicy, entries: readonly JournalEntry[], now: number): Promise<readonly JournalEntry[]>;
