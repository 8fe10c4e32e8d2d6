import type { ApprovalDecision, ContentPart, EventOptions, PendingApproval } from '@x/interfaces';
import { XError } from '@x/kernel';
import { type OptionKinds } from '@x/kernel/options';
import { type Json } from './json.ts';
import { type UiSigning } from './signature.ts';
export interface UiRequestOptions extends UiSigning {
    readonly by?: string | undefined;
    readonly maxLength?: number | undefined;
    readonly events?: EventOptions | undefined;
}
export declare const requestKinds: OptionKinds<UiRequestOptions>;
export interface UiDecision {
    readonly runId: string;
    readonly id: string;
    readonly decision: ApprovalDecision;
    readonly action: string;
}
export interface ClaimedDecision {
    readonly approvalId: string;
    readonly signature: string;
    readonly decision: ApprovalDecision;
}
export interface PageDecisions {
    readonly decisions: readonly UiDecision[];
    readonly decideIn: (journal: DecidableJournal) => Promise<number>;
    readonly decideAt: (host: DecidableHost) => Promise<number>;
}
interface DecidableJournal {
    readonly runId: string | null;
    readonly pending: readonly PendingApproval[];
    decide(id: string, decision: ApprovalDecision): Promise<void>;
}
interface DecidableHost {
    pending?(options: {
        readonly chat: string;
    }): AsyncIterable<{
        readonly pending: PendingApproval;
    }>;
    decide(id: string, pendingId: string, decision: ApprovalDecision): Promise<void>;
}
export declare function pageDecisions(claims: Iterable<ClaimedDecision>, options: UiRequestOptions): Promise<PageDecisions>;
export declare function objectsIn(list: unknown, what: string): Json[];
export declare function contentOf(parts: readonly Json[], maxLength?: number): string | ContentPart[];
export declare const reasonOf: (text: unknown) => {
    reason?: string;
};
export declare const refusal: (what: string) => XError;
export {};
