import { type ConversableAgent, type CreateAgentOptions } from '@x/agent';
import type { ModelRef } from '@x/interfaces';
export declare const createAgent: (options: CreateAgentOptions<ModelRef | readonly ModelRef[]>) => ConversableAgent;
