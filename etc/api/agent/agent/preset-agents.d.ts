import type { HumanInputMode } from '@x/interfaces';
import { ConversableAgent } from './conversable-agent.ts';
import type { ConversableAgentOptions } from './options.ts';
export declare class AssistantAgent extends ConversableAgent {
    static readonly DEFAULT_SYSTEM_MESSAGE: string;
    static readonly DEFAULT_DESCRIPTION: string;
    constructor(options: ConversableAgentOptions);
}
export declare class UserProxyAgent extends ConversableAgent {
    static readonly DEFAULT_USER_PROXY_AGENT_DESCRIPTIONS: Readonly<Record<HumanInputMode, string>>;
    constructor(options: ConversableAgentOptions);
}
