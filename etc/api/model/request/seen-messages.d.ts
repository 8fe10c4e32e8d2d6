import type { ChatMessage } from '@x/interfaces';
export interface SeenMessages {
    seenMessages: readonly ChatMessage[] | null;
}
export declare function countSeen({ seenMessages: last }: SeenMessages, messages: readonly ChatMessage[]): number;
export declare function noteSeen(memory: SeenMessages, messages: readonly ChatMessage[]): void;
