import type { Agent, ChatMessage, MaybePromise, QueuedChat, Reply, ReplyInput, ReplyOutcome, RunContext, SummaryArgs } from '@x/interfaces';
export interface NestedCarryover {
    readonly summaryMethod: 'all' | 'last_msg' | 'reflection_with_llm' | ((agent: Agent, messages: readonly ChatMessage[], args: SummaryArgs, context: RunContext) => MaybePromise<string | ChatMessage[]>);
    readonly summaryArgs?: SummaryArgs | null | undefined;
}
export interface NestedInput extends ReplyInput {
    readonly recipient: Agent;
}
export type NestedChat = Omit<QueuedChat, 'message'> & {
    message?: Reply | null | ((recipient: Agent, input: ReplyInput) => MaybePromise<Reply | null>) | undefined;
    carryoverConfig?: NestedCarryover | undefined;
};
export type NestedReply = (chatQueue: readonly NestedChat[], input: NestedInput) => MaybePromise<ReplyOutcome>;
export interface RegisterNestedChatsOptions {
    readonly replyFuncFromNestedChats?: 'summary_from_nested_chats' | NestedReply | undefined;
    readonly position?: number | undefined;
    readonly useAsync?: boolean | null | undefined;
    readonly config?: unknown;
    readonly resetConfig?: ((config: never) => void) | null | undefined;
    readonly ignoreAsyncInSyncChat?: boolean | undefined;
}
