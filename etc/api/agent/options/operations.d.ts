import type { Agent, Budget, ChatMessage, Journal, JournalEntry, Limits, MaybePromise, Model, OpenCall, QueuedChat, Reply, ReplyInput, ReplyOutcome, Run, RunContext, RunOptions, SteeringSource, SummaryArgs, SummaryMethod, TerminationReason, Tool, ToolContext, ToolSchema, UsageSummary } from '@x/interfaces';
import type { Steps } from '@x/kernel';
export interface ChatMeans {
    readonly budget?: Budget | undefined;
    readonly journal?: Journal | undefined;
    readonly runId?: string | undefined;
    readonly version?: string | undefined;
    readonly steering?: SteeringSource | undefined;
}
export interface RunChatOptions extends Omit<ChatMeans, 'journal'> {
    readonly journal?: Journal | null | undefined;
    readonly tools?: Tool | readonly Tool[] | undefined;
    readonly executorKwargs?: Readonly<Record<string, unknown>> | undefined;
    readonly maxTurns?: number | null | undefined;
    readonly maxMessages?: number | undefined;
    readonly userInput?: boolean | undefined;
    readonly conversation?: 'own' | 'shared' | undefined;
    readonly clearHistory?: boolean | undefined;
    readonly silent?: boolean | null | undefined;
}
export interface Ag2RunOptions extends RunChatOptions {
    readonly style: 'ag2';
    readonly msgTo?: 'agent' | 'user' | undefined;
    readonly summaryMethod?: SummaryMethod | null | undefined;
}
export declare const ag2Run: {
    readonly style: 'ag2';
    readonly conversation: 'shared';
    readonly userInput: boolean;
    readonly silent: null;
};
export interface ResultOptions<P> {
    readonly result: P;
    readonly resultRepairs?: number | undefined;
}
export interface ReplyRequest {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly exclude?: readonly object[] | undefined;
}
export type GenerateReplyOptions = ReplyRequest & RunOptions;
export interface AskedReply<C = never> extends RunOptions {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly config?: C | null | undefined;
}
export interface AskedInRun<C = unknown> {
    readonly messages: readonly ChatMessage[] | null;
    readonly sender: Agent | null;
    readonly config: C | null;
    readonly run: Run;
}
export interface NestedCarryover {
    readonly summaryMethod: 'all' | 'last_msg' | 'reflection_with_llm' | ((agent: Agent, messages: readonly ChatMessage[], args: SummaryArgs, context: RunContext) => MaybePromise<string | ChatMessage[]>);
    readonly summaryArgs?: SummaryArgs | null | undefined;
}
export interface NestedInput extends ReplyInput {
    readonly recipient: Agent;
}
export type NestedChat = Omit<QueuedChat, 'message'> & {
    message?: Reply | null | {
        call(recipient: Agent, input: ReplyInput): MaybePromise<Reply | null>;
    }['call'] | undefined;
    carryoverConfig?: NestedCarryover | undefined;
};
export type NestedReply = (chatQueue: readonly NestedChat[], input: NestedInput) => MaybePromise<ReplyOutcome>;
export interface RegisterNestedChatsOptions {
    readonly replyFuncFromNestedChats?: 'summary_from_nested_chats' | NestedReply | undefined;
    readonly position?: number | undefined;
    readonly useAsync?: boolean | null | undefined;
    readonly config?: unknown;
    readonly resetConfig?: ((config: never) => void) | null | undefined;
    readonly ignoreAsyncInSyncChat?: boolean | undefined;
}
export interface MappedFunction {
    (args: never, context: ToolContext): MaybePromise<unknown>;
    readonly needsApproval?: Tool['needsApproval'];
    readonly raw?: ((args: never, context: ToolContext) => MaybePromise<unknown>) | undefined;
}
export interface ExecuteFunctionOptions {
    readonly callId?: string | null | undefined;
    readonly verbose?: boolean | undefined;
}
export type FunctionOutcome = [success: boolean, result: {
    name: string;
    role: 'function';
    content: unknown;
}];
export interface RunToolError {
    readonly code: 'tool-failed' | 'unknown-tool' | 'invalid-argument' | null;
    readonly message: string;
}
export declare const MAX_CONSECUTIVE_AUTO_REPLY: Limits['MAX_CONSECUTIVE_AUTO_REPLY'];
export declare const MAX_MESSAGES = 10000;
export declare const DEFAULT_CONFIG: Limits['DEFAULT_CONFIG'];
export declare const DEFAULT_SUMMARY_METHOD: Limits['DEFAULT_SUMMARY_METHOD'];
export declare const DEFAULT_SUMMARY_PROMPT: Limits['DEFAULT_SUMMARY_PROMPT'];
export declare const DEFAULT_SYSTEM_MESSAGE = "You are a helpful AI Assistant.";
export declare const MAX_CHAT_DEPTH = 100;
export declare const AGENT_VERSION = 2;
export declare const CHAT_VERSION = 3;
export declare const CHECKPOINT_VERSION = 1;
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
    readonly checksum?: string | undefined;
}
export interface ChatState {
    readonly version: typeof CHAT_VERSION;
    readonly kind: 'chat';
    readonly entries: readonly JournalEntry[];
}
export interface ManagerRole {
    members(): readonly Agent[];
    models(): readonly Model[];
    clear(): void;
    summaryMessages(sender: Agent, method: SummaryMethod): readonly ChatMessage[] | null;
    isAnswered?(): boolean;
    save(): unknown;
    load(saved: unknown): void;
    closeCalls(answer: (last: ChatMessage) => ChatMessage | undefined): void;
}
export interface ReplyAdditions {
    readonly sees?: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined;
    readonly begin?: ((messages: readonly ChatMessage[]) => Steps<ReplyOutcome>) | undefined;
    readonly tools?: (() => readonly ToolSchema[]) | undefined;
}
export interface AddedToReply extends ReplyAdditions {
    readonly agent: Agent;
    readonly sender: Agent | null;
}
export interface StepsReply {
    readonly name: string;
    readonly steps: (agent: Agent, input: ReplyInput & {
        readonly run: Run;
    }) => Steps<ReplyOutcome>;
    readonly applies?: ((input: ReplyInput, agent: Agent) => boolean) | undefined;
    readonly atOnce?: ((agent: Agent, input: ReplyInput & {
        readonly run: Run;
    }) => ReplyOutcome | undefined) | undefined;
    readonly isBuiltIn?: boolean | undefined;
}
export declare function stepsReply(name: string, steps: StepsReply['steps'], { applies, atOnce, isBuiltIn }?: Pick<StepsReply, 'applies' | 'atOnce' | 'isBuiltIn'>): StepsReply;
export declare const isStepsReply: (reply: unknown) => reply is StepsReply;
export declare const BUILT_IN: unique symbol;
export interface ConversationQuestion {
    readonly sender: Agent | null;
    readonly messages: readonly ChatMessage[];
    readonly open: OpenCall | undefined;
}
