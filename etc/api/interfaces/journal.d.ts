import type { MaybePromise } from './maybe-promise.ts';
import type { UsageSummary } from './usage.ts';
import type { CodeToVet, ToolCallToVet } from './vetting.ts';
export interface JournalEntry {
    readonly key: string;
    readonly what: string;
    readonly value: unknown;
    readonly context?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
    readonly at?: number | undefined;
    readonly used?: Readonly<Record<string, {
        readonly actual: UsageSummary | null;
        readonly total: UsageSummary | null;
    }>> | undefined;
}
export interface PendingApproval {
    readonly id: string;
    readonly chatId: string;
    readonly agentPath: readonly string[];
    readonly agent: string;
    readonly action: ActionToApprove;
}
export type ActionToApprove = ({
    readonly type: 'toolCall';
} & Omit<ToolCallToVet, 'agent'>) | ({
    readonly type: 'code';
} & Omit<CodeToVet, 'agent'>);
export type ApprovalDecision = {
    readonly allow: true;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
} | {
    readonly allow: false;
    readonly reason?: string | undefined;
};
export interface Journal {
    readonly length?: number | undefined;
    enter?(): () => void;
    recall(key: string): JournalEntry | undefined;
    lastPlace(key: string): number;
    keep(entry: JournalEntry): MaybePromise<void>;
}
