import type { ChatResult, QueuedChat, RunOptions } from '@x/interfaces';
export declare function initiateChats(queue: readonly QueuedChat[], { signal, emit }?: RunOptions): Promise<Map<number, ChatResult>>;
export declare function initiateChatsSync(queue: readonly QueuedChat[], { emit }?: Pick<RunOptions, 'emit'>): ChatResult[];
