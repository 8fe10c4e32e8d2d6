import type { ChatMessage, JournalEntry, TerminationReason, UsageSummary } from '@x/interfaces';
export declare const AGENT_VERSION = 2;
export declare const CHAT_VERSION = 3;
export interface SavedSettings {
    readonly name: string;
    readonly systemMessage: string;
    readonly maxConsecutiveAutoReply: number;
    readonly contextVariables: Readonly<Record<string, unknown>>;
    readonly humanInput: readonly string[];
    readonly usage: {
        readonly actual: UsageSummary | null;
        readonly total: UsageSummary | null;
    };
}
export interface SavedConversation {
    readonly with: string | null;
    readonly messages: readonly ChatMessage[];
    readonly autoReplies: number;
    readonly maxAutoReplies: number;
    readonly replyAtReceive: boolean;
    readonly begun: boolean;
    readonly humanInput: readonly string[];
    readonly ended: TerminationReason | null;
    readonly history?: unknown;
}
export interface AgentState extends SavedSettings {
    readonly version: typeof AGENT_VERSION;
    readonly kind: 'agent';
    readonly conversations: readonly SavedConversation[];
    readonly managed?: unknown;
}
export interface ChatState {
    readonly version: typeof CHAT_VERSION;
    readonly kind: 'chat';
    readonly entries: readonly JournalEntry[];
}
