import type { ApprovalDecision, Journal, JournalEntry, MaybePromise, PendingApproval } from '@x/interfaces';
import { type ChatState } from '../options/operations.ts';
export interface ChatJournalOptions {
    readonly onEntry?: ((entry: JournalEntry) => MaybePromise<void>) | undefined;
    readonly trusted?: boolean | undefined;
}
export declare class ChatJournal implements Journal {
    #private;
    readonly trusted: boolean;
    constructor(options?: ChatJournalOptions);
    static load(saved: unknown, options?: ChatJournalOptions): ChatJournal;
    static parse(lines: string, options?: ChatJournalOptions): ChatJournal;
    saveState(): ChatState;
    toJSON(): ChatState;
    get pending(): readonly PendingApproval[];
    get runId(): string | null;
    decide(id: string, decision: ApprovalDecision): Promise<void>;
    cut(place: string): void;
    get length(): number;
    get checkpoint(): JournalEntry | undefined;
    enter(): () => void;
    recall(place: string): readonly JournalEntry[];
    recallJob(place: string, name: string): JournalEntry | undefined;
    keptHere(entry: JournalEntry): boolean;
    lastPlace(place: string): number;
    end(place: string): void;
    hasEnded(place: string): boolean;
    keep(entry: JournalEntry): MaybePromise<void>;
}
export declare function pendingIn(entries: Iterable<JournalEntry>): PendingApproval[];
export declare const askedIn: (journal: ChatJournal) => PendingApproval[];
export declare function decisionEntry(pending: PendingApproval, decision: ApprovalDecision): JournalEntry;
export declare function fork(entries: Iterable<JournalEntry>, place: string | null, options?: {
    readonly runId?: string | undefined;
    readonly version?: string | undefined;
}): JournalEntry[];
