import type { LlmConfig, Tool } from '@x/interfaces';
import { ConversableAgent } from './conversable-agent.ts';
import { type ConversableAgentOptions } from './options.ts';
export interface CreateAgentOptions<M = LlmConfig> extends Omit<ConversableAgentOptions, 'systemMessage' | 'llmConfig' | 'functions'> {
    model: M | LlmConfig;
    instructions?: string | undefined;
    tools?: Tool | readonly Tool[] | undefined;
}
export declare function createAgent(options: CreateAgentOptions): ConversableAgent;
export declare function createAgent<M>(options: CreateAgentOptions<M>, makeModels: (models: M) => LlmConfig): ConversableAgent;
