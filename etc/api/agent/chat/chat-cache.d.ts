import type { CacheStore, Run } from '@x/interfaces';
import type { Conversation, State } from '../state/state.ts';
export interface ChatUnderWay {
    cache: CacheStore | null;
}
export declare function beginIn(conversation: Conversation, chat: ChatUnderWay): void;
export declare function endIn(conversation: Conversation, chat: ChatUnderWay): void;
export declare function cacheFor(run: Run, state: State, { chats }: Conversation): CacheStore | null;
