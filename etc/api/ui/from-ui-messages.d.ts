import type { ApprovalDecision, ChatMessage, PendingApproval } from '@x/interfaces';
import { type UiSigning } from './signature.ts';
import type { UiContinuation } from './ui-message-writer.ts';
export interface UiRequestOptions extends UiSigning {
    readonly by?: string | undefined;
    readonly maxLength?: number | undefined;
}
export interface UiDecision {
    readonly runId: string;
    readonly id: string;
    readonly decision: ApprovalDecision;
}
export interface UiRequest {
    readonly message: ChatMessage | null;
    readonly decisions: readonly UiDecision[];
    readonly continues: UiContinuation | undefined;
    readonly decideIn: (journal: DecidableJournal) => Promise<number>;
    readonly decideAt: (host: DecidableHost) => Promise<number>;
}
interface DecidableJournal {
    readonly runId: string | null;
    readonly pending: readonly PendingApproval[];
    decide(id: string, decision: ApprovalDecision): Promise<void>;
}
interface DecidableHost {
    decide(id: string, pendingId: string, decision: ApprovalDecision): Promise<void>;
}
export declare function fromUiMessages(body: unknown, options?: UiRequestOptions): Promise<UiRequest>;
interface PageMessage {
    readonly role: string;
    readonly parts: readonly {
        readonly type: string;
        readonly state?: string;
        readonly toolMetadata?: unknown;
    }[];
}
export declare function hasDecided({ messages }: {
    readonly messages: readonly PageMessage[];
}): boolean;
export {};
