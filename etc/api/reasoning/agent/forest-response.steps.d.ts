import { type StepsReply } from '@x/agent/steps';
import type { Agent, ChatMessage, ReplyOutcome } from '@x/interfaces';
import type { Steps } from '@x/kernel';
import type { ReasoningAgent } from './reasoning-agent.ts';
interface Asked {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
}
export declare const generateForestResponse: StepsReply;
export declare function forestResponse(agent: ReasoningAgent, { messages, sender }: Asked): Steps<ReplyOutcome>;
export {};
