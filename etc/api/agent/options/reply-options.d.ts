import type { Agent, ChatMessage, ReplyInput, ReplyOutcome, RunOptions } from '@x/interfaces';
import type { Steps } from '@x/kernel';
export interface ReplyRequest {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly exclude?: readonly object[] | undefined;
}
export type GenerateReplyOptions = ReplyRequest & RunOptions;
export interface AskedReply<C = never> extends RunOptions {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly config?: C | null | undefined;
}
export interface StepsReply {
    readonly name: string;
    readonly steps: (agent: Agent, input: ReplyInput) => Steps<ReplyOutcome>;
    readonly applies?: ((input: ReplyInput, agent: Agent) => boolean) | undefined;
}
