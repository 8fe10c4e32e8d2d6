import type { Agent, CacheStore, ChatMessage, ChatResult, CodeExecutionConfig, CodeToVet, EventBody, Hooks, HumanInputMode, Io, JsonSchema, LlmConfig, Logger, Model, Reply, TerminationReason, Tool, ToolCallToVet, ToolResponse, ToolSchema, Vet } from '@x/interfaces';
import type { Steps } from '@x/kernel';
import type { MappedFunction } from '../options/mapped-function.ts';
import type { ReplySlot } from './reply-slot.ts';
export interface ActiveChat {
    cache: CacheStore | null;
    watch?: AnswerWatch | undefined;
    own: OwnConversations | null;
}
export interface OwnConversations {
    readonly sides: readonly [readonly [State, Conversation], readonly [State, Conversation]];
    readonly outer: OwnConversations | null;
}
export interface AnswerWatch {
    readonly agent: Agent;
    readonly user: Agent;
    readonly answerSchema: JsonSchema | undefined;
    readonly isLast: ((messages: readonly ChatMessage[]) => Steps<boolean>) | null;
    readonly replyByDefault: (reply: Reply) => Reply | null;
}
export interface Conversation {
    readonly counterpart: Agent | null;
    messages: ChatMessage[];
    autoReplies: number;
    maxAutoReplies: number;
    replyAtReceive: boolean;
    begun: boolean;
    humanInput: string[];
    ended: TerminationReason | null;
    seen: {
        readonly of: readonly ChatMessage[];
        count: number;
        readonly list: ChatMessage[];
    } | null;
    chats: readonly ActiveChat[] | null;
    saidLast: boolean;
    answered: ToolResponse[] | null;
}
export interface State {
    readonly agent: Agent;
    readonly name: string;
    readonly description: string;
    readonly io: Io;
    readonly logger: Logger | null;
    systemMessage: ChatMessage;
    isTerminationMsg: (message: ChatMessage, sender: Agent | null) => boolean;
    readonly defaultAutoReply: Reply;
    readonly conversations: Map<Agent | null, Conversation>;
    maxConsecutiveAutoReply: number;
    limitsAutoReplies: boolean;
    humanInputMode: HumanInputMode;
    silent: boolean | null;
    replies: readonly ReplySlot[];
    hooks: {
        readonly [N in keyof Hooks]: readonly Hooks[N][];
    };
    functionMap: Map<string, MappedFunction> | null;
    readonly tools: Tool[];
    llmConfig: LlmConfig | false;
    model: Model | null;
    clientCache: CacheStore | null;
    readonly codeExecution: CodeExecutionConfig | false;
    readonly beforeToolCall: Vet<ToolCallToVet> | null;
    readonly beforeCodeExecution: Vet<CodeToVet> | null;
    dockerImage: string | null;
    humanInput: string[];
    finishedChats: ChatResult[] | Map<number, ChatResult>;
    readonly context: Map<string, unknown>;
    unbound: Map<string | null, Conversation> | null;
    readonly now: () => number;
    readonly createAgent: (options: {
        readonly name: string;
    } & Readonly<Record<string, unknown>>) => Agent;
    runExecutor: Agent | null;
    runTools: Map<string, {
        readonly schema: ToolSchema;
        readonly runs: number;
    }> | null;
    readonly onFirstConversation: (agent: Agent) => void;
}
export declare const stateOf: (agent: Agent) => State;
export declare const conversationOf: (state: State, counterpart: Agent | null) => Conversation | undefined;
export declare function openConversation(state: State, counterpart: Agent | null, chat?: ActiveChat | null): Conversation;
export declare const newConversation: ({ maxConsecutiveAutoReply }: Pick<State, 'maxConsecutiveAutoReply'>) => Conversation;
export declare const isSilent: (state: State, silent: boolean | null | undefined) => boolean;
export declare function report({ io }: Pick<State, 'io'>, event: EventBody): void;
export declare const isMuted: ({ silent, io }: Pick<State, 'silent' | 'io'>) => boolean;
export declare function warn(state: State, text: string): void;
