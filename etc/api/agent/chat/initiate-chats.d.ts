import type { ChatResult, QueuedChat, RunOptions } from '@x/interfaces';
import { type ChatMeans } from '../resume/entered.steps.ts';
export declare function initiateChats(queue: readonly QueuedChat[], { signal, emit, ...means }?: RunOptions & ChatMeans): Promise<Map<number, ChatResult>>;
export declare function initiateChatsSync(queue: readonly QueuedChat[], { emit, ...means }?: Pick<RunOptions, 'emit'> & ChatMeans): ChatResult[];
