import type { ChatMessage, Hooks } from '@x/interfaces';
import type { ConversableAgent } from './conversable-agent.ts';
export type SystemMessageUpdater = string | ((agent: ConversableAgent, messages: readonly ChatMessage[]) => string);
export declare class UpdateSystemMessage {
    readonly contentUpdater: SystemMessageUpdater;
    constructor(contentUpdater: SystemMessageUpdater);
    hook(): Hooks['updateAgentState'];
}
