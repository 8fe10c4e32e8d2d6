import type { OutputOf, Parameters, StandardSchema } from '@x/agent';
import type { Budget, ChatKind, HostedChat, Io, Journal, JsonSchema, MaybePromise, Run, RunTracer, TraceContext, UsageSummary } from '@x/interfaces';
import type { ApprovalPolicy } from './run/deadlines.ts';
import type { RetryPolicy } from './run/retry.ts';
export interface ChatRun<I, S = unknown> extends MessageRun<I> {
    readonly state: S;
    readonly checkpoint: (state: S) => Promise<void>;
}
export interface MessageRun<I> {
    readonly id: string;
    readonly input: I;
    readonly usage: () => UsageSummary;
    readonly run: Run;
    readonly io: Io;
    readonly receive: (options?: ReceiveOptions) => Promise<unknown>;
    readonly sleep: (time: number | Date) => Promise<void>;
    readonly now: () => Promise<number>;
    readonly submit: <I2>(chat: DefinedChat<I2>, input: NoInfer<I2>, options?: SubmitOptions) => Promise<string>;
    readonly perform: (chat: DefinedChat, input: unknown, options?: PerformOptions) => Promise<unknown>;
}
export interface ReceiveOptions {
    readonly timeout?: number | Date | undefined;
}
export interface SubmitOptions {
    readonly id?: string | undefined;
    readonly at?: Date | number | undefined;
    readonly trace?: TraceContext | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly tenant?: string | undefined;
    readonly priority?: HostedChat['priority'] | undefined;
}
export interface PerformOptions {
    readonly key?: string | undefined;
    readonly signal?: AbortSignal | undefined;
}
export interface MessageChat<I> extends MessageRun<I> {
    readonly end: (value?: unknown) => void;
}
export type StateSchema<S> = StandardSchema<S> | JsonSchema;
export interface CommonDefinition<P extends Parameters, S> {
    readonly name: string;
    readonly version: string;
    readonly input?: P | undefined;
    readonly stateSchema?: StateSchema<S> | undefined;
    readonly migrate?: ((state: unknown, version: string) => MaybePromise<NoInfer<S>>) | undefined;
    readonly continues?: readonly string[] | undefined;
    readonly concurrency?: number | undefined;
    readonly keeps?: 'all' | 'value' | undefined;
    readonly retry?: RetryPolicy | undefined;
    readonly approvals?: ApprovalPolicy | undefined;
}
export interface ChatDefinition<P extends Parameters, R, S = unknown> extends CommonDefinition<P, S> {
    readonly state?: S | ((input: OutputOf<P>) => S) | undefined;
    readonly run: (chat: ChatRun<OutputOf<P>, NoInfer<S>>) => MaybePromise<R>;
    readonly onMessage?: undefined;
}
export interface ConversationDefinition<P extends Parameters, S> extends CommonDefinition<P, S> {
    readonly state: S | ((input: OutputOf<P>) => S);
    readonly onMessage: (state: NoInfer<S>, message: unknown, run: Run, chat: MessageChat<OutputOf<P>>) => MaybePromise<NoInfer<S> | void>;
    readonly run?: undefined;
}
export interface SavedState {
    readonly state: unknown;
    readonly program: string;
}
export type RepeatedChat = (options: {
    readonly journal: Journal;
    readonly tracer?: RunTracer;
    readonly budget?: Budget;
}) => Promise<unknown>;
export interface DefinedChat<I = never, R = unknown> extends ChatKind {
    readonly check: (input: unknown) => Promise<unknown>;
    readonly run: (chat: ChatRun<I>) => MaybePromise<R>;
    readonly begin: (saved: SavedState | null, input: unknown) => Promise<unknown>;
    readonly save: (state: unknown) => SavedState;
    readonly continues: readonly string[];
    readonly concurrency?: number | undefined;
    readonly keeps?: 'all' | 'value' | undefined;
    readonly retry?: RetryPolicy | undefined;
    readonly approvals?: ApprovalPolicy | undefined;
    readonly repeat: (input: unknown) => RepeatedChat;
}
