import { type OutputOf, type Parameters } from '@x/agent';
import type { JsonSchema } from '@x/interfaces';
import type { ChatDefinition, ConversationDefinition, DefinedChat } from './defined-chat.ts';
export declare function defineChat<P extends Parameters = JsonSchema, R = unknown, S = unknown>(definition: ConversationDefinition<P, S> | ChatDefinition<P, R, S>): DefinedChat<OutputOf<P>, R>;
