import type { HumanInputMode } from '@x/interfaces';
import { ConversableAgent } from './conversable-agent.ts';
import type { ConversableAgentOptions } from './options.ts';
export declare class UserProxyAgent extends ConversableAgent {
    static readonly DEFAULT_USER_PROXY_AGENT_DESCRIPTIONS: Readonly<Record<HumanInputMode, string>>;
    constructor(options: ConversableAgentOptions);
}
