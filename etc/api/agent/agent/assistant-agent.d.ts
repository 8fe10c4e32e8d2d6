import { ConversableAgent } from './conversable-agent.ts';
import type { ConversableAgentOptions } from './options.ts';
export declare class AssistantAgent extends ConversableAgent {
    static readonly DEFAULT_SYSTEM_MESSAGE: string;
    static readonly DEFAULT_DESCRIPTION: string;
    constructor(options: ConversableAgentOptions);
}
