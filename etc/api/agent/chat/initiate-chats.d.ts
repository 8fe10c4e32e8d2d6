import type { ChatResult, QueuedChat, RunOptions } from '@x/interfaces';
import type { ChatMeans } from '../options/chat-options.ts';
export declare function initiateChats(queue: readonly QueuedChat[], options?: RunOptions & ChatMeans): Promise<Map<number, ChatResult>>;
export declare function initiateChatsSync(queue: readonly QueuedChat[], options?: Pick<RunOptions, 'run' | 'emit'> & ChatMeans): ChatResult[];
