import type { ChatOptions, ChatResult } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ConversableAgent } from '../conversable-agent.ts';
import { type State } from '../state/state.ts';
export type ChatWishes = Omit<ChatOptions, 'signal' | 'emit'>;
export declare function initiateChat(initiator: ConversableAgent, recipient: ConversableAgent, wishes?: ChatWishes, place?: string): Steps<ChatResult>;
export declare function chat([self, other]: readonly [State, State], wishes: ChatWishes): Steps<ChatResult>;
