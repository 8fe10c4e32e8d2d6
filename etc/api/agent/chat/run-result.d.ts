import type { ChatMessage, PendingApproval, TerminationReason, UsageSummary } from '@x/interfaces';
import type { ChatJournal } from '../durability/chat-journal.ts';
import type { RunToolError } from '../options/operations.ts';
export interface RunResult<T = null> {
    readonly text: string;
    readonly messages: readonly ChatMessage[];
    readonly result: T;
    readonly toolCalls: readonly RunToolCall[];
    readonly usage: RunUsage;
    readonly cost: number;
    readonly terminationReason: TerminationReason;
    readonly pending: readonly PendingApproval[];
    readonly journal: ChatJournal | null;
}
export interface RunToolCall {
    readonly id: string | null;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>> | null;
    readonly result: string | null;
    readonly error: RunToolError | null;
}
export interface RunUsage {
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly totalTokens: number;
    readonly models: UsageSummary['models'];
}
