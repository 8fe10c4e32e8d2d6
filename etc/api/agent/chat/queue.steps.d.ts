import type { Agent, ChatResult, QueuedChat, RunOptions } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ChatMeans } from '../options/operations.ts';
interface QueueOptions {
    readonly sender?: Agent | undefined;
    readonly nested?: boolean | undefined;
}
export declare function chatsInOrder(queue: readonly QueuedChat[], options?: QueueOptions): Steps<ChatResult[]>;
export declare function chatsByPrerequisites(queue: readonly QueuedChat[], options?: QueueOptions): Steps<Map<number, ChatResult>>;
export declare function initiateChats(queue: readonly QueuedChat[], options?: RunOptions & ChatMeans): Promise<Map<number, ChatResult>>;
export declare function initiateChatsSync(queue: readonly QueuedChat[], options?: Pick<RunOptions, 'run' | 'emit'> & ChatMeans): ChatResult[];
export declare function chatsOf<T extends ChatResult[] | Map<number, ChatResult>>(agent: Agent, queue: readonly QueuedChat[], means: ChatMeans, runQueue: (queue: readonly QueuedChat[], options: {
    readonly sender: Agent | undefined;
}) => Steps<T>): Steps<T>;
export {};
