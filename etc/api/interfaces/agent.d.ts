import type { MaybePromise } from './maybe-promise.ts';
import type { ChatMessage, Reply } from './message.ts';
import type { RunContext, RunOptions } from './run.ts';
export interface SendOptions extends RunOptions {
    readonly requestReply?: boolean | null | undefined;
    readonly silent?: boolean | null | undefined;
}
export interface Agent {
    readonly name: string;
    readonly description: string;
    readonly systemMessage: string;
}
export interface ReplyInput<C = unknown> extends RunContext {
    readonly messages: readonly ChatMessage[];
    readonly sender: Agent | null;
    readonly config: C;
}
export type ReplyOutcome = readonly [final: boolean, reply: Reply | null];
export type ReplyFunction<A extends Agent = Agent, C = unknown> = (agent: A, input: ReplyInput<C>) => MaybePromise<ReplyOutcome>;
export type Trigger = string | Agent | (abstract new (...args: never) => Agent) | ((sender: Agent | null) => boolean) | null | readonly Trigger[];
export interface RegisterReplyOptions<C = unknown> {
    position?: number | {
        before: object;
    } | {
        after: object;
    } | undefined;
    config?: C | undefined;
    resetConfig?: ((config: C) => void) | null | undefined;
    ignoreAsyncInSyncChat?: boolean | undefined;
    removeOtherReplyFuncs?: boolean | undefined;
    async?: boolean | undefined;
}
export interface ReplyFunctionRecord {
    readonly trigger: Trigger;
    readonly replyFunc: object;
    readonly config: unknown;
    readonly initConfig: unknown;
    readonly resetConfig: ((config: never) => void) | null;
    readonly ignoreAsyncInSyncChat: boolean;
}
export interface Hooks {
    processLastReceivedMessage: (content: string | NonNullable<ChatMessage['content']>, context: RunContext) => MaybePromise<string | ChatMessage['content']>;
    processAllMessagesBeforeReply: (messages: ChatMessage[], context: RunContext) => MaybePromise<ChatMessage[]>;
    processMessageBeforeSend: (input: {
        sender: Agent;
        message: Reply;
        recipient: Agent;
        silent: boolean;
    } & RunContext) => MaybePromise<Reply>;
    updateAgentState: (agent: never, messages: readonly ChatMessage[], context: RunContext) => MaybePromise<void>;
}
export type HookName = keyof Hooks;
export type Verdict = 'allow' | 'ask' | {
    readonly deny: string;
};
export type Vet<T> = (what: T, context: RunContext) => MaybePromise<Verdict>;
