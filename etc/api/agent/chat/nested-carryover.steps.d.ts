import type { Agent, ChatMessage, MaybePromise, ReplyInput, SummaryArgs } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ConversableAgent } from '../conversable-agent.ts';
export interface NestedCarryover {
    readonly summaryMethod: 'all' | 'last_msg' | 'reflection_with_llm' | ((agent: Agent, messages: readonly ChatMessage[], args: SummaryArgs) => MaybePromise<string | ChatMessage[]>);
    readonly summaryArgs?: SummaryArgs | null | undefined;
}
export declare function withOuterChat(text: string, { summaryMethod: method, summaryArgs }: NestedCarryover, { agent, recipient, input }: {
    agent: ConversableAgent;
    recipient: ConversableAgent;
    input: ReplyInput;
}): Steps<string>;
