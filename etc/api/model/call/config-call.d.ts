import type { Budget, EventUsage, ModelAttempt, ModelClient, ModelEvent, Run, RunScope, StoredAnswer, Usage } from '@x/interfaces';
import type { Reporter } from './reporter.steps.ts';
import type { UsageSum } from '../usage/ledger.ts';
import type { ReceivedContent } from '../usage/token-estimate.ts';
import type { WrapperParts } from './wrapper-parts.ts';
import type { Slot } from '../config/slot.ts';
import type { PreparedRequest } from '../request/prepare-request.ts';
export interface StreamBuffer {
    readonly hold: boolean;
    held: ModelEvent[];
    open: boolean;
    received: ReceivedContent | null;
    clock: Pick<RunScope, 'now'> | null;
    firstTokenAt: number | null;
}
export interface ConfigCall {
    readonly parts: WrapperParts;
    readonly slot: Slot;
    readonly prepared: PreparedRequest;
    readonly run: Run;
    readonly last: boolean;
    readonly buffer: StreamBuffer;
    readonly budget: Budget | undefined;
    readonly reporter: Reporter;
    readonly agent: string | null;
    readonly invocationId: string;
    readonly startTime: number;
    readonly attempts: ModelAttempt[];
    client?: ModelClient | undefined;
    readonly operation?: 'countTokens' | undefined;
    readonly sent: SentRequests;
    sendings: number;
    readonly unknown: SentUsage[];
    waitedMs?: number | undefined;
}
export interface SentUsage {
    readonly usage: Usage;
    readonly cacheWriteTokens: EventUsage['cacheWriteTokens'];
    readonly cost: number | null;
}
export declare function newConfigCall(init: Omit<ConfigCall, 'buffer' | 'budget' | 'startTime' | 'sendings' | 'unknown' | 'client' | 'waitedMs'>): ConfigCall;
export interface SentRequests {
    hasRepeatedUnsent: boolean;
    unanswered: UsageSum | null;
}
export interface ConfigAnswer extends StoredAnswer {
    readonly cached: boolean;
}
export declare function clientOf(call: Pick<ConfigCall, 'parts' | 'slot' | 'client'>): ModelClient;
export declare function blockingClientOf(call: ConfigCall): Pick<ModelClient, 'create'>;
