import type { Agent, ReplyFunction, ReplyFunctionRecord, ReplyInput, ReplyOutcome } from '@x/interfaces';
import type { Steps } from '@x/kernel';
export interface StepsReply {
    readonly name: string;
    readonly steps: (agent: Agent, input: ReplyInput) => Steps<ReplyOutcome>;
    readonly applies?: ((input: ReplyInput, agent: Agent) => boolean) | undefined;
}
export type AnyReply = ReplyFunction<never, never> | StepsReply;
export interface ReplyEntry extends ReplyFunctionRecord {
    readonly replyFunc: AnyReply;
    readonly async: boolean;
    readonly matches: (sender: Agent | null) => boolean;
}
export type ReplySlot = ReplyEntry | null;
