import type { ApprovalDecision, Journal, JournalEntry, MaybePromise, PendingApproval } from '@x/interfaces';
import { CHAT_VERSION } from './saved-shapes.ts';
export interface ChatState {
    readonly version: typeof CHAT_VERSION;
    readonly kind: 'chat';
    readonly entries: readonly JournalEntry[];
}
export interface ChatJournalOptions {
    readonly onEntry?: ((entry: JournalEntry) => MaybePromise<void>) | undefined;
}
export declare class ChatJournal implements Journal {
    #private;
    constructor({ onEntry }?: ChatJournalOptions);
    static load(saved: unknown, options?: ChatJournalOptions): ChatJournal;
    static parse(lines: string, options?: ChatJournalOptions): ChatJournal;
    saveState(): ChatState;
    get pending(): readonly PendingApproval[];
    get runId(): string | null;
    decide(id: string, decision: ApprovalDecision): Promise<void>;
    cut(place: string): void;
    get length(): number;
    enter(): () => void;
    recall(place: string): readonly JournalEntry[];
    lastPlace(place: string): number;
    keep(entry: JournalEntry): MaybePromise<void>;
}
