import type { ChatMessage, Hooks } from '@x/interfaces';
import type { AgentAttributes } from './attributes.ts';
export type SystemMessageUpdater = string | {
    call(agent: AgentAttributes, messages: readonly ChatMessage[]): string;
}['call'];
export declare class UpdateSystemMessage {
    readonly contentUpdater: SystemMessageUpdater;
    constructor(contentUpdater: SystemMessageUpdater);
    hook(): Hooks['updateAgentState'];
}
