import type { ChatOptions, ChatResult } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ConversableAgent } from './conversable-agent.ts';
export type ChatWishes = Omit<ChatOptions, 'signal' | 'emit'>;
export declare function initiateChat(initiator: ConversableAgent, recipient: ConversableAgent, wishes?: ChatWishes): Steps<ChatResult>;
