import type { EventOptions, HostBackend, HostedChat, JournalKind, RunTracer, Spending } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { Webhook } from './webhook.ts';
import type { DefinedChat, PerformOptions, ReceiveOptions, SubmitOptions } from './defined-chat.ts';
export interface HostOptions {
    readonly chats: readonly DefinedChat[];
    readonly at: HostBackend;
    readonly retention?: number | undefined;
    readonly events?: Omit<EventOptions, 'recalled'> | undefined;
    readonly tracer?: RunTracer | undefined;
    readonly webhooks?: Readonly<Record<string, Webhook>> | undefined;
}
export interface ForkOptions {
    readonly id?: string | undefined;
    readonly chat?: DefinedChat | undefined;
    readonly input?: unknown;
}
export interface WorkOptions {
    readonly concurrency?: number | undefined;
    readonly lease?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export interface ListOptions {
    readonly state?: HostedChat['state'] | undefined;
    readonly chat?: DefinedChat | undefined;
    readonly tenant?: string | undefined;
    readonly tag?: string | undefined;
    readonly since?: Date | number | undefined;
    readonly until?: Date | number | undefined;
    readonly order?: 'newest' | 'oldest' | undefined;
    readonly after?: Pick<HostedChat, 'id' | 'submittedAt'> | undefined;
    readonly limit?: number | undefined;
}
export interface FailureOptions {
    readonly state?: 'failed' | 'waiting-to-retry' | undefined;
    readonly chat?: DefinedChat | undefined;
    readonly kind?: string | null | undefined;
    readonly code?: string | null | undefined;
    readonly message?: string | undefined;
}
export interface NextStep {
    readonly kind: JournalKind | 'message' | 'part';
    readonly name: string | null;
    readonly place: string | null;
    readonly label: string;
}
export interface CheckOptions {
    readonly whole?: boolean | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly timeout?: number | undefined;
}
export interface EventsOptions {
    readonly after?: string | null | undefined;
    readonly signal?: AbortSignal | undefined;
}
export interface HostLimiterOptions {
    readonly lease?: number | undefined;
    readonly storeTimeout?: number | undefined;
    readonly whenDown?: 'alone' | 'refuse' | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export type BudgetPeriod = 'hour' | 'day' | 'month' | number;
export interface HostBudgetOptions {
    readonly cost?: number | undefined;
    readonly tokens?: number | undefined;
    readonly calls?: number | undefined;
    readonly per?: BudgetPeriod | undefined;
    readonly perCall?: Partial<Spending> | undefined;
    readonly whenFull?: 'wait' | 'refuse' | undefined;
    readonly strict?: boolean | undefined;
    readonly minTokens?: number | undefined;
    readonly lease?: number | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export declare const isDefinedChat: (value: unknown) => boolean;
export declare const HOST_OPTION_KINDS: {
    readonly host: OptionKinds<HostOptions>;
    readonly hostEvents: OptionKinds<NonNullable<HostOptions['events']>>;
    readonly submit: OptionKinds<SubmitOptions>;
    readonly work: OptionKinds<WorkOptions>;
    readonly list: OptionKinds<ListOptions>;
    readonly failures: OptionKinds<FailureOptions>;
    readonly fork: OptionKinds<ForkOptions>;
    readonly check: OptionKinds<CheckOptions>;
    readonly events: OptionKinds<EventsOptions>;
    readonly send: OptionKinds<{
        readonly id?: string | undefined;
    }>;
    readonly steer: OptionKinds<{
        readonly text: string;
    }>;
    readonly result: OptionKinds<{
        readonly signal?: AbortSignal | undefined;
    }>;
    readonly pending: OptionKinds<Record<'chat' | 'agent' | 'tenant', string>>;
    readonly decide: OptionKinds<{
        readonly by?: string | undefined;
    }>;
    readonly cancel: OptionKinds<{
        readonly reason: string;
    }>;
    readonly perform: OptionKinds<PerformOptions>;
    readonly receive: OptionKinds<ReceiveOptions>;
    readonly limiter: OptionKinds<HostLimiterOptions>;
    readonly budget: OptionKinds<HostBudgetOptions>;
    readonly perCall: OptionKinds<Spending>;
};
export declare function checkHost(options: HostOptions): void;
export declare function checkProgram(program: unknown): void;
export declare function checkId(id: unknown, attempt: string): string;
export declare function checkKnownId(id: unknown, attempt: string): string;
export declare const checkLimiterOptions: (options: HostLimiterOptions) => void;
export declare function checkBudget(name: unknown, options: HostBudgetOptions): void;
export declare function isName(value: unknown): value is string;
