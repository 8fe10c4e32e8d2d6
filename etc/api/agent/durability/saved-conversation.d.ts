import type { ChatMessage, TerminationReason } from '@x/interfaces';
import type { Conversation } from '../memory/state.ts';
export interface SavedConversation {
    readonly with: string | null;
    readonly messages: readonly ChatMessage[];
    readonly autoReplies: number;
    readonly maxAutoReplies: number;
    readonly replyAtReceive: boolean;
    readonly begun: boolean;
    readonly humanInput: readonly string[];
    readonly ended: TerminationReason | null;
}
export declare function savedConversation({ counterpart, ...its }: Conversation): SavedConversation;
export declare function storedMessages({ messages }: SavedConversation, refuse?: (index: number, message: string) => never): ChatMessage[];
export declare function loadConversation(conversation: Conversation, saved: SavedConversation): void;
