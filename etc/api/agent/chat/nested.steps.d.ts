import type { Agent, MaybePromise, QueuedChat, Reply, ReplyInput, ReplyOutcome } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type NestedCarryover } from './nested-carryover.steps.ts';
export interface NestedInput extends ReplyInput {
    readonly recipient: Agent;
}
export type NestedChat = Omit<QueuedChat, 'message'> & {
    message?: Reply | null | ((recipient: Agent, input: ReplyInput) => MaybePromise<Reply | null>) | undefined;
    carryoverConfig?: NestedCarryover | undefined;
};
export type NestedReply = (chatQueue: readonly NestedChat[], input: NestedInput) => MaybePromise<ReplyOutcome>;
export declare function summaryFromNestedChats(queue: readonly NestedChat[], agent: Agent, input: ReplyInput, useAsync: boolean): Steps<ReplyOutcome>;
export declare function ownReply(own: NestedReply, queue: readonly NestedChat[], agent: Agent, input: ReplyInput): Steps<ReplyOutcome>;
