import { type OutputOf, type Parameters } from '@x/agent';
import { type RetryPolicy } from './run/retry.ts';
import type { ChatKind, Io, JsonSchema, MaybePromise, Run } from '@x/interfaces';
export interface ChatRun<I> {
    readonly id: string;
    readonly input: I;
    readonly run: Run;
    readonly io: Io;
    readonly receive: () => Promise<unknown>;
    readonly perform: (chat: DefinedChat, input: unknown, options?: PerformOptions) => Promise<unknown>;
}
export interface PerformOptions {
    readonly key?: string | undefined;
    readonly signal?: AbortSignal | undefined;
}
export interface ChatDefinition<P extends Parameters, R> {
    readonly name: string;
    readonly version: string;
    readonly input?: P | undefined;
    readonly run: (chat: ChatRun<OutputOf<P>>) => MaybePromise<R>;
    readonly concurrency?: number | undefined;
    readonly keeps?: 'all' | 'value' | undefined;
    readonly retry?: RetryPolicy | undefined;
}
export interface DefinedChat<I = never, R = unknown> extends ChatKind {
    readonly check: (input: unknown) => Promise<unknown>;
    readonly run: (chat: ChatRun<I>) => MaybePromise<R>;
    readonly concurrency?: number | undefined;
    readonly keeps?: 'all' | 'value' | undefined;
    readonly retry?: RetryPolicy | undefined;
}
export declare function defineChat<P extends Parameters = JsonSchema, R = unknown>(definition: ChatDefinition<P, R>): DefinedChat<OutputOf<P>, R>;
