import type { ConversableAgent } from '@x/agent';
import type { ChatMessage } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { GroupState } from '../group/group-state.ts';
export interface ResumeChoice {
    readonly removeTerminationString?: string | ((text: string) => string) | null | undefined;
    readonly silent?: boolean | undefined;
}
export type ResumedChat = [lastSpeaker: ConversableAgent, lastMessage: ChatMessage];
export declare function resumeGroup(state: GroupState, manager: ConversableAgent, earlier: string | readonly ChatMessage[], { removeTerminationString, silent }: ResumeChoice): Steps<ResumedChat>;
export declare function resumption(manager: string, lastSpeaker: string, messages: readonly ChatMessage[]): Steps<void>;
