import type { ApprovalDecision, ChatCount, HostedChat, JsonValue, Limiter, LoggedEvent, PendingApproval, SharedBudget, StoredDecision } from '@x/interfaces';
import type { LimitsByModel } from '@x/kernel/limits';
import type { CheckedChat } from './check.ts';
import type { DefinedChat, SubmitOptions } from './defined-chat.ts';
import type { FailureGroup } from './failures.ts';
import type { CheckOptions, EventsOptions, FailureOptions, ForkOptions, HostBudgetOptions, HostLimiterOptions, ListOptions, WorkOptions } from './host-options.ts';
import type { MetricGauge } from './monitoring/gauges.ts';
export interface HostHealth {
    readonly live: boolean;
    readonly ready: boolean;
    readonly reasons: readonly string[];
}
export interface Host {
    submit<I>(chat: DefinedChat<I>, input: NoInfer<I>, options?: SubmitOptions): Promise<HostedChat>;
    work(options?: WorkOptions): Promise<void>;
    get(id: string): Promise<HostedChat | null>;
    result(id: string, options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<unknown>;
    send(id: string, message: JsonValue, options?: {
        readonly id?: string | undefined;
    }): Promise<void>;
    steer(id: string, text: string, options?: {
        readonly id?: string | undefined;
    }): Promise<void>;
    list(options?: ListOptions): AsyncIterable<HostedChat>;
    counts(): Promise<readonly ChatCount[]>;
    listStuck(): AsyncIterable<HostedChat>;
    events(id: string, options?: EventsOptions): AsyncIterable<LoggedEvent>;
    pending(options?: {
        readonly chat?: string | undefined;
        readonly agent?: string | undefined;
        readonly tenant?: string | undefined;
    }): AsyncIterable<{
        readonly chat: string;
        readonly pending: PendingApproval;
    }>;
    decide(id: string, pendingId: string, decision: ApprovalDecision, options?: {
        readonly by?: string | undefined;
    }): Promise<void>;
    decisions(id: string): Promise<readonly StoredDecision[]>;
    cancel(id: string, reason?: string): Promise<boolean>;
    resume(which: string | FailureOptions): Promise<number>;
    failures(options?: FailureOptions): Promise<readonly FailureGroup[]>;
    fork(id: string, place: string | null, change?: ForkOptions): Promise<HostedChat>;
    check(program: DefinedChat, options?: CheckOptions): AsyncIterable<CheckedChat>;
    delete(id: string): Promise<boolean>;
    limiter(limits: LimitsByModel, options?: HostLimiterOptions): Limiter;
    budget(name: string, options: HostBudgetOptions): SharedBudget;
    health(): Promise<HostHealth>;
    metrics(): Promise<string>;
    gauge(gauge: MetricGauge): () => void;
    close(): Promise<void>;
}
