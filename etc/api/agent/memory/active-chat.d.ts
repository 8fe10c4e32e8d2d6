import type { CacheStore } from '@x/interfaces';
import type { Conversation, State } from './state.ts';
export interface ActiveChat {
    cache: CacheStore | null;
}
export declare function addChat(conversation: Conversation, chat: ActiveChat): void;
export declare function removeChat(conversation: Conversation, chat: ActiveChat): void;
export declare function cacheFor(around: ActiveChat | null, state: State, { chats }: Conversation): CacheStore | null;
