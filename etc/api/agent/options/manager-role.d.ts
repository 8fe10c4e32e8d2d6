import type { Agent, ChatMessage, Model, SummaryMethod } from '@x/interfaces';
export interface ManagerRole {
    members(): readonly Agent[];
    models(): readonly Model[];
    clear(): void;
    summaryMessages(sender: Agent, method: SummaryMethod): readonly ChatMessage[] | null;
    save(): unknown;
    load(saved: unknown): void;
    closeCalls(answer: (last: ChatMessage) => ChatMessage | undefined): void;
}
