import type { Agent, ChatMessage, MaybePromise, ReplyInput, RunContext, SummaryArgs } from '@x/interfaces';
import { type Steps } from '@x/kernel';
export interface NestedCarryover {
    readonly summaryMethod: 'all' | 'last_msg' | 'reflection_with_llm' | ((agent: Agent, messages: readonly ChatMessage[], args: SummaryArgs, context: RunContext) => MaybePromise<string | ChatMessage[]>);
    readonly summaryArgs?: SummaryArgs | null | undefined;
}
export declare function withOuterChat(text: string, { summaryMethod: method, summaryArgs }: NestedCarryover, { agent, recipient, input }: {
    agent: Agent;
    recipient: Agent;
    input: ReplyInput;
}): Steps<string>;
