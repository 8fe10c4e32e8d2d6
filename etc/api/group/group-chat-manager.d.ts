import { ConversableAgent, type ConversableAgentOptions } from '@x/agent';
import type { Agent, ChatMessage, EventStream, ReplyOutcome, RunOptions } from '@x/interfaces';
import { GroupChat } from './group-chat.ts';
import { type ResumeChoice, type ResumedChat } from './run/resume.steps.ts';
interface GroupChatManagerOptions extends Omit<ConversableAgentOptions, 'name' | 'silent'> {
    groupchat: GroupChat;
    name?: string | undefined;
    silent?: boolean | undefined;
}
interface RunChatRequest {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly config?: GroupChat | null | undefined;
}
interface ResumeOptions extends ResumeChoice, RunOptions {
}
export declare class GroupChatManager extends ConversableAgent {
    #private;
    constructor(options: GroupChatManagerOptions);
    get groupchat(): GroupChat;
    get lastSpeaker(): Agent | null;
    get silent(): boolean;
    set silent(silent: boolean);
    chatMessagesForSummary(_agent?: Agent): readonly ChatMessage[];
    runChat(options?: RunChatRequest & RunOptions): Promise<ReplyOutcome>;
    runChatSync(options?: RunChatRequest & Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): ReplyOutcome;
    runChatStream(options?: RunChatRequest & Omit<RunOptions, 'emit'>): EventStream<ReplyOutcome>;
    resume(messages: string | readonly ChatMessage[], options?: ResumeOptions): Promise<ResumedChat>;
    resumeSync(messages: string | readonly ChatMessage[], options?: ResumeChoice & Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): ResumedChat;
    messagesFromString(text: string): ChatMessage[];
    messagesToString(messages: readonly ChatMessage[]): string;
    clearAgentsHistory(reply: ChatMessage, groupchat?: GroupChat): string;
}
export {};
