import type { Agent, ChatMessage, ReplyInput, ReplyOutcome, Run, RunOptions } from '@x/interfaces';
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
export interface AskedInRun<C = unknown> {
    readonly messages: readonly ChatMessage[] | null;
    readonly sender: Agent | null;
    readonly config: C | null;
    readonly run: Run;
}
export interface StepsReply {
    readonly name: string;
    readonly steps: (agent: Agent, input: ReplyInput & {
        readonly run: Run;
    }) => Steps<ReplyOutcome>;
    readonly applies?: ((input: ReplyInput, agent: Agent) => boolean) | undefined;
}
