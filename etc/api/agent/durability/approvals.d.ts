import type { ApprovalDecision, JournalEntry, PendingApproval } from '@x/interfaces';
export declare function pendingIn(entries: Iterable<JournalEntry>): PendingApproval[];
export declare function decisionEntry(pending: PendingApproval, decision: ApprovalDecision): JournalEntry;
