import type { ChatMessage, ChatOptions, ChatResult, LlmConfig } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { GroupPattern } from './pattern.ts';
export interface GroupRunOptions extends Pick<ChatOptions, 'silent' | 'cache' | 'budget' | 'journal' | 'runId' | 'version' | 'steering' | 'summaryArgs'> {
    readonly maxRounds?: number | undefined;
    readonly safeguardPolicy?: Readonly<Record<string, unknown>> | undefined;
    readonly safeguardLlmConfig?: LlmConfig | undefined;
}
export interface GroupChatResult<C extends object = Record<string, unknown>> extends ChatResult {
    contextVariables: C;
    lastSpeaker: string;
    messages: ChatMessage[];
    terminationDetail: string | null;
}
export type FirstMessages = string | ChatMessage | readonly ChatMessage[];
export declare function runPattern<C extends object>(pattern: GroupPattern<C>, first: FirstMessages, options: GroupRunOptions): Steps<GroupChatResult<C>>;
