import type { ReplyInput, ReplyOutcome } from '@x/interfaces';
import type { Steps } from '@x/kernel';
import type { ConversableAgent } from '../conversable-agent.ts';
export interface StepsReply {
    readonly name: string;
    readonly steps: (agent: ConversableAgent, input: ReplyInput) => Steps<ReplyOutcome>;
    readonly applies?: ((input: ReplyInput, agent: ConversableAgent) => boolean) | undefined;
}
export declare function stepsReply(name: string, steps: StepsReply['steps'], { applies }?: Pick<StepsReply, 'applies'>): StepsReply;
export declare const isStepsReply: (reply: unknown) => reply is StepsReply;
