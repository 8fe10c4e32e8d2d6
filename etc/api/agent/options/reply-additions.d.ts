import type { Agent, ChatMessage, ReplyOutcome, ToolSchema } from '@x/interfaces';
import type { Steps } from '@x/kernel';
export interface ReplyAdditions {
    readonly sees?: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined;
    readonly begin?: ((messages: readonly ChatMessage[]) => Steps<ReplyOutcome>) | undefined;
    readonly tools?: (() => readonly ToolSchema[]) | undefined;
}
export interface AddedToReply extends ReplyAdditions {
    readonly agent: Agent;
    readonly sender: Agent | null;
}
